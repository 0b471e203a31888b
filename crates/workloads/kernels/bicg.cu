// The two products of the biconjugate gradient method, q = A p and s = Aᵀ r, as Polybench parallelises them.
#include "device.h"

KERNEL bicg_columns(const float* a, const float* r, float* s, int rows, int columns) {
  int column = global_id();
  if (column >= columns) return;
  float sum = 0.0f;
  for (int row = 0; row < rows; ++row) sum += r[row] * a[row * columns + column];
  s[column] = sum;
}

KERNEL bicg_rows(const float* a, const float* p, float* q, int rows, int columns) {
  int row = global_id();
  if (row >= rows) return;
  float sum = 0.0f;
  for (int column = 0; column < columns; ++column) sum += a[row * columns + column] * p[column];
  q[row] = sum;
}
