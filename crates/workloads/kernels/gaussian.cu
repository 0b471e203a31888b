// Gaussian elimination, two kernels a pivot: the column of multipliers, then the update of what is right and below, as
// Rodinia's gaussian has them. The x coordinate of a thread is its row, so that a warp touches many lines.
#include "device.h"

KERNEL multipliers(float* m, float* a, int size, int pivot) {
  load_parameters(m, a, size, pivot);
  if (threadIdx.x + blockIdx.x * blockDim.x >= size - 1 - pivot) return;
  int row = blockDim.x * blockIdx.x + threadIdx.x + pivot + 1;
  m[size * row + pivot] = a[size * row + pivot] / a[size * pivot + pivot];
}

KERNEL eliminate(float* m, float* a, float* b, int size, int left, int pivot) {
  load_parameters(m, a, b, size, pivot);
  if (threadIdx.x + blockIdx.x * blockDim.x >= size - 1 - pivot) return;
  if (threadIdx.y + blockIdx.y * blockDim.y >= size - pivot) return;
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  int row = x + 1 + pivot;
  a[size * row + (y + pivot)] -= m[size * row + pivot] * a[size * pivot + (y + pivot)];
  if (y == 0) b[row] -= m[size * row + (y + pivot)] * b[pivot];
}
