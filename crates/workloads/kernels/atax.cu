// y = Aᵀ(A x): a row a thread, then a column a thread, as Polybench parallelises it.
#include "device.h"

KERNEL atax_rows(const float* a, const float* x, float* product, int rows, int columns) {
  int row = global_id();
  if (row >= rows) return;
  float sum = 0.0f;
  for (int column = 0; column < columns; ++column) sum += a[row * columns + column] * x[column];
  product[row] = sum;
}

KERNEL atax_columns(const float* a, const float* product, float* y, int rows, int columns) {
  int column = global_id();
  if (column >= columns) return;
  float sum = 0.0f;
  for (int row = 0; row < rows; ++row) sum += a[row * columns + column] * product[row];
  y[column] = sum;
}
