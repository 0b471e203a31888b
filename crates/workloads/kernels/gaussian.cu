// Gaussian elimination, two kernels a pivot: the column of multipliers, then the update of what is right and below,
// as Rodinia's gaussian has them.
#include "device.h"

KERNEL multipliers(const float* a, float* m, int size, int pivot) {
  int i = global_id();
  if (i >= size - 1 - pivot) return;
  int row = pivot + 1 + i;
  m[size * row + pivot] = a[size * row + pivot] / a[size * pivot + pivot];
}

KERNEL eliminate(float* a, float* b, const float* m, int size, int pivot) {
  int column = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= size - 1 - pivot || column >= size - pivot) return;
  int row = pivot + 1 + i;
  float multiplier = m[size * row + pivot];
  a[size * row + pivot + column] -= multiplier * a[size * pivot + pivot + column];
  if (column == 0) b[row] -= multiplier * b[pivot];
}
