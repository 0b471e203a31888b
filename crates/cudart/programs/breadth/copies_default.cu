/* Copies whose direction the addresses tell, and copies on the device. */
#include "program.h"

PROGRAM(copies_default) {
  std::vector<int> host = ramp<int>(64), got(64);
  int *a = zeros<int>(64), *b = zeros<int>(64);
  CHECK(cudaMemcpy(a, host.data(), 256, cudaMemcpyDefault));
  CHECK(cudaMemcpy(b + 32, a, 128, cudaMemcpyDeviceToDevice));
  CHECK(cudaMemcpy(got.data(), b, 256, cudaMemcpyDefault));
  REQUIRE(got[31] == 0 && got[32] == 0 && got[63] == 31);
}
