// The two products of the biconjugate gradient method, s = Aᵀ r and q = A p, as PolyBench/GPU has them: a thread a column, then a
// thread a row. The sum lies in memory, and as the compiler cannot know that the vectors do not overlap, every term is a store.
#include "device.h"

KERNEL bicg_columns(float* a, float* r, float* s, int rows, int columns) {
  int column = global_id();
  if (column >= columns) return;
  s[column] = 0.0f;
  const float* here = a + column;
#pragma unroll 16
  for (int row = 0; row < rows; ++row, here += columns) s[column] += r[row] * *here;
}

KERNEL bicg_rows(float* a, float* p, float* q, int rows, int columns) {
  int row = global_id();
  if (row >= rows) return;
  q[row] = 0.0f;
  const float* here = a + row * columns;
#pragma unroll 16
  for (int column = 0; column < columns; ++column) q[row] += p[column] * *here++;
}
