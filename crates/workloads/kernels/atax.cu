// y = Aᵀ(A x) as PolyBench/GPU has it: a thread a row, then a thread a column. The sum lies in memory, and as the compiler cannot know
// that the vectors do not overlap, every term is a store.
#include "device.h"

KERNEL atax_rows(float* a, float* x, float* product, int rows, int columns) {
  int row = global_id();
  if (row >= rows) return;
  const float* here = a + row * columns;
#pragma unroll 16
  for (int column = 0; column < columns; ++column) product[row] += x[column] * *here++;
}

KERNEL atax_columns(float* a, float* y, float* product, int rows, int columns) {
  int column = global_id();
  if (column >= columns) return;
  const float* here = a + column;
#pragma unroll 16
  for (int row = 0; row < rows; ++row, here += columns) y[column] += product[row] * *here;
}
