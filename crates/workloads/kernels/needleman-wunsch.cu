// Global sequence alignment: 16 × 16 tiles of the score matrix along anti-diagonals, each tile filled along its own
// anti-diagonals in shared memory by 16 threads, as Rodinia's nw does; one kernel for the upper left half of the matrix and
// one for the lower right.
#include "device.h"

#define TILE 16

DEV int greatest(int a, int b, int c) {
  int k = a <= b ? b : a;
  return k <= c ? c : k;
}

DEV void align(const int* similarity, int* score, int columns, int penalty, int tile_x, int tile_y) {
  __shared__ int cell[TILE + 1][TILE + 1];
  __shared__ int reward[TILE][TILE];
  int t = threadIdx.x, corner = columns * TILE * tile_y + TILE * tile_x;
  if (t == 0) cell[t][0] = score[corner];
  for (int y = 0; y < TILE; ++y) reward[y][t] = similarity[corner + t + columns + 1 + columns * y];
  __syncthreads();
  cell[t + 1][0] = score[corner + columns + columns * t];
  __syncthreads();
  cell[0][t + 1] = score[corner + t + 1];
  __syncthreads();
  for (int m = 0; m < TILE; ++m) {
    if (t <= m) {
      int x = t + 1, y = m - t + 1;
      cell[y][x] = greatest(cell[y - 1][x - 1] + reward[y - 1][x - 1], cell[y][x - 1] - penalty, cell[y - 1][x] - penalty);
    }
    __syncthreads();
  }
  for (int m = TILE - 2; m >= 0; --m) {
    if (t <= m) {
      int x = t + TILE - m, y = TILE - t;
      cell[y][x] = greatest(cell[y - 1][x - 1] + reward[y - 1][x - 1], cell[y][x - 1] - penalty, cell[y - 1][x] - penalty);
    }
    __syncthreads();
  }
  for (int y = 0; y < TILE; ++y) score[corner + t + columns + 1 + y * columns] = cell[y + 1][t + 1];
}

KERNEL align_upper(const int* similarity, int* score, int columns, int penalty, int count, int tiles) {
  align(similarity, score, columns, penalty, blockIdx.x, count - 1 - blockIdx.x);
}

KERNEL align_lower(const int* similarity, int* score, int columns, int penalty, int count, int tiles) {
  align(similarity, score, columns, penalty, blockIdx.x + tiles - count, tiles - blockIdx.x - 1);
}
