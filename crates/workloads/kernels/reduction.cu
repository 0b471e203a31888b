// Parallel sum: each thread adds elements a grid apart, the block adds its threads in shared memory, and the last
// levels need no barrier inside one warp's reach in the original; here they keep it, which modern GPUs require.
#include "device.h"

#define THREADS 256

KERNEL reduction(const int* in, int* out, uint count) {
  __shared__ int sums[THREADS];
  int sum = 0;
  for (uint i = blockIdx.x * (THREADS * 2) + threadIdx.x; i < count; i += gridDim.x * THREADS * 2) {
    sum += in[i];
    if (i + THREADS < count) sum += in[i + THREADS];
  }
  sums[threadIdx.x] = sum;
  __syncthreads();
#pragma unroll
  for (uint width = THREADS / 2; width > 0; width >>= 1) {
    if (threadIdx.x < width) sums[threadIdx.x] += sums[threadIdx.x + width];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = sums[0];
}
