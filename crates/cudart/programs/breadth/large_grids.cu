/* Grids and thread blocks of three dimensions. */
#include "program.h"

__global__ void mark(int *out) {
  int block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  int thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  atomicAdd(&out[block * 24 + thread], block * 100 + thread);
}
PROGRAM(large_grids) {
  int *out = zeros<int>(30 * 24);
  mark<<<dim3(5, 3, 2), dim3(4, 3, 2)>>>(out);
  std::vector<int> got = download(out, 30 * 24);
  for (int i = 0; i < 30 * 24; i++)
    REQUIRE(got[i] == i / 24 * 100 + i % 24);
}
