/* Pinned memory that a kernel writes directly. */
#include "program.h"

__global__ void fill(int *data) { data[ID] = 3 * ID; }
PROGRAM(pinned_memory) {
  int *host, *device;
  CHECK(cudaHostAlloc((void **)&host, 64 * sizeof(int), cudaHostAllocMapped));
  CHECK(cudaHostGetDevicePointer((void **)&device, host, 0));
  fill<<<2, 32>>>(device);
  CHECK(cudaDeviceSynchronize());
  for (int i = 0; i < 64; i++)
    REQUIRE(host[i] == 3 * i);
  CHECK(cudaFreeHost(host));
}
