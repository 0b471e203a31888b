/* Launch bounds that hold, and a launch that breaks them. */
#include "program.h"

__global__ void __launch_bounds__(128, 2) bounded(int *data) { data[ID] = ID; }
PROGRAM(launch_bounds) {
  int *data = zeros<int>(512);
  bounded<<<4, 128>>>(data);
  REQUIRE(download(data, 512)[300] == 300);
  bounded<<<1, 256>>>(data);
  REQUIRE(cudaGetLastError() != cudaSuccess);
  CHECK(cudaDeviceSynchronize());
}
