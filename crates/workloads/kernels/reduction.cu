// Parallel sum as the last kernel of the CUDA SDK's reduction sample: a thread adds pairs of elements a grid apart, the thread block
// adds its threads in shared memory, and the last 64 sums need no barrier because one warp adds them. Lengths are powers of two.
#include "device.h"

template <uint THREADS> DEV void reduce(const int* in, int* out, uint count) {
  extern __shared__ int sums[];
  uint t = threadIdx.x, step = THREADS * 2 * gridDim.x;
  int sum = 0;
  for (uint i = blockIdx.x * THREADS * 2 + t; i < count; i += step) {
    sum += in[i];
    sum += in[i + THREADS];
  }
  sums[t] = sum;
  __syncthreads();
#pragma unroll
  for (uint width = THREADS / 2; width > 32; width >>= 1) {
    if (t < width) sums[t] = sum = sum + sums[t + width];
    __syncthreads();
  }
  if (t < 32) {
    volatile int* last = sums;
#pragma unroll
    for (uint width = THREADS >= 64 ? 32 : 16; width > 0; width >>= 1) last[t] = sum = sum + last[t + width];
  }
  if (t == 0) out[blockIdx.x] = sums[0];
}

KERNEL reduction_256(const int* in, int* out, uint count) { reduce<256>(in, out, count); }
KERNEL reduction_32(const int* in, int* out, uint count) { reduce<32>(in, out, count); }
