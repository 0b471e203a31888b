// Dense matrix product straight from global memory, one element of the result a thread: reuse is left to the caches.
#include "device.h"

KERNEL matmul(const float* a, const float* b, float* c, int size) {
  int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (column >= size || row >= size) return;
  float sum = 0.0f;
  for (int k = 0; k < size; ++k) sum += a[row * size + k] * b[k * size + column];
  c[row * size + column] = sum;
}
