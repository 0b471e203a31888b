// Dot products of many vector pairs, as the CUDA SDK's scalarProd: a thread block takes a pair, 1,024 strided accumulators in shared
// memory, then a tree.
#include "device.h"

#define ACCUMULATORS 1024

KERNEL scalar_prod(float* c, const float* a, const float* b, int pairs, int elements) {
  __shared__ float sums[ACCUMULATORS];
  for (int pair = blockIdx.x; pair < pairs; pair += gridDim.x) {
    int base = elements * pair, end = base + elements;
    for (int i = threadIdx.x; i < ACCUMULATORS; i += blockDim.x) {
      float sum = 0;
      for (int position = base + i; position < end; position += ACCUMULATORS) sum += a[position] * b[position];
      sums[i] = sum;
    }
    for (int stride = ACCUMULATORS / 2; stride > 0; stride >>= 1) {
      __syncthreads();
      for (int i = threadIdx.x; i < stride; i += blockDim.x) sums[i] += sums[stride + i];
    }
    __syncthreads();
    if (threadIdx.x == 0) c[pair] = sums[0];
  }
}
