/* Memory of the program that kernels use after it was registered. */
#include "program.h"

__global__ void add(int *data) { data[ID] += 1; }
PROGRAM(registered_memory) {
  std::vector<int> host = ramp<int>(64);
  for (int round = 0; round < 2; round++) {
    int *device;
    CHECK(cudaHostRegister(host.data(), 64 * sizeof(int), cudaHostRegisterMapped));
    CHECK(cudaHostGetDevicePointer((void **)&device, host.data(), 0));
    add<<<2, 32>>>(device);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaHostUnregister(host.data()));
  }
  for (int i = 0; i < 64; i++)
    REQUIRE(host[i] == i + 2);
}
