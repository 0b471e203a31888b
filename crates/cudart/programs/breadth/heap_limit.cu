/* A larger heap for kernels than the default one. */
#include "program.h"

__global__ void take(char **list) {
  list[threadIdx.x] = (char *)malloc(1 << 20);
  if (list[threadIdx.x])
    list[threadIdx.x][(1 << 20) - 1] = 1;
}
PROGRAM(heap_limit) {
  size_t bytes;
  CHECK(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 64 << 20));
  CHECK(cudaDeviceGetLimit(&bytes, cudaLimitMallocHeapSize));
  REQUIRE(bytes >= 64 << 20);
  char **list = zeros<char *>(32);
  take<<<1, 32>>>(list);
  for (char *address : download(list, 32))
    REQUIRE(address != NULL);
}
