/* Managed variables that host and kernels use by name. */
#include "program.h"

__managed__ int counter = 5;
__managed__ float table[4];
__global__ void use() {
  if (threadIdx.x == 0)
    counter += 10;
  table[threadIdx.x] *= 2;
}
PROGRAM(managed_variables) {
  for (int i = 0; i < 4; i++)
    table[i] = i;
  use<<<1, 4>>>();
  CHECK(cudaDeviceSynchronize());
  REQUIRE(counter == 15 && table[3] == 6);
}
