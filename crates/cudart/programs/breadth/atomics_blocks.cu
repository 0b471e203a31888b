/* The last thread block adds up what all have found. */
#include "program.h"

__device__ unsigned arrived = 0;
__global__ void sum(const int *data, int *partial, int *total) {
  __shared__ int local;
  __shared__ bool is_last;
  if (threadIdx.x == 0)
    local = 0;
  __syncthreads();
  atomicAdd(&local, data[ID]);
  __syncthreads();
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = local;
    __threadfence();
    is_last = atomicInc(&arrived, gridDim.x) == gridDim.x - 1;
  }
  __syncthreads();
  if (is_last && threadIdx.x == 0) {
    int all = 0;
    for (unsigned i = 0; i < gridDim.x; i++)
      all += ((volatile int *)partial)[i];
    *total = all;
  }
}
PROGRAM(atomics_blocks) {
  int *partial = zeros<int>(16), *total = zeros<int>(1);
  sum<<<16, 64>>>(upload(ramp<int>(1024)), partial, total);
  REQUIRE(download(total, 1)[0] == 1023 * 512);
}
