// Sums of embedding rows, as recommendation models look them up: a block a bag, a thread a column, indices by popularity.
#include "device.h"

KERNEL embedding_bag(const float* table, const int* indices, const int* offsets, float* out, int dimensions) {
  int bag = blockIdx.x, column = threadIdx.x;
  float sum = 0.0f;
  for (int i = offsets[bag]; i < offsets[bag + 1]; ++i) sum += table[(size_t)indices[i] * dimensions + column];
  out[(size_t)bag * dimensions + column] = sum;
}
