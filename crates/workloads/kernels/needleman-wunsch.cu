// Global sequence alignment: 16 × 16 tiles of the score matrix along anti-diagonals, each tile filled along its own
// anti-diagonals in shared memory by 16 threads, as Rodinia's nw does; one kernel for the upper left half of the matrix and
// one for the lower right.
#include "device.h"

#define TILE 16

DEV int greatest(int a, int b, int c) {
  int k = a <= b ? b : a;
  return k <= c ? c : k;
}

// All loops are unrolled, as nvcc does: a kernel is longer than the instruction cache. The kernel for the upper left half reads
// the corner before the rewards, the other one after them.
template <bool IS_UPPER>
DEV void align(const int* similarity, int* score, int columns, int penalty, int tile_x, int tile_y) {
  __shared__ int cell[TILE + 1][TILE + 1];
  __shared__ int reward[TILE][TILE];
  int t = threadIdx.x, corner = columns * TILE * tile_y + TILE * tile_x;
  if (IS_UPPER && t == 0) cell[0][0] = score[corner];
  const int* rewards = similarity + (corner + t + columns + 1);
#pragma unroll
  for (int y = 0; y < TILE; ++y, rewards += columns) reward[y][t] = *rewards;
  __syncthreads();
  if (!IS_UPPER && t == 0) cell[0][0] = score[corner];
  cell[t + 1][0] = score[corner + columns + columns * t];
  __syncthreads();
  cell[0][t + 1] = score[corner + t + 1];
  __syncthreads();
  // Cell and reward of the anti-diagonal from the tile's left border: a step down is a step along the thread's column.
  int* down = &cell[0][0] - t * (TILE + 1) + t;
  const int* reward_down = &reward[0][0] - t * TILE + t;
#pragma unroll
  for (int m = 0; m < TILE; ++m, down += TILE + 1, reward_down += TILE) {
    if (t <= m) down[TILE + 2] = greatest(down[0] + reward_down[0], down[TILE + 1] - penalty, down[1] - penalty);
    __syncthreads();
  }
  // From the bottom border: a step to the right is a step along the thread's row.
  int* right = &cell[TILE - 1][1] - t * (TILE + 1) + t;
  const int* reward_right = &reward[TILE - 1][1] - t * TILE + t;
#pragma unroll
  for (int m = TILE - 2; m >= 0; --m, ++right, ++reward_right) {
    if (t <= m) right[TILE + 2] = greatest(right[0] + reward_right[0], right[TILE + 1] - penalty, right[1] - penalty);
    __syncthreads();
  }
  int* scores = score + (corner + t + columns + 1);
#pragma unroll
  for (int y = 0; y < TILE; ++y, scores += columns) *scores = cell[y + 1][t + 1];
}

KERNEL align_upper(const int* similarity, int* score, int columns, int penalty, int count, int tiles) {
  align<true>(similarity, score, columns, penalty, blockIdx.x, count - 1 - blockIdx.x);
}

KERNEL align_lower(const int* similarity, int* score, int columns, int penalty, int count, int tiles) {
  align<false>(similarity, score, columns, penalty, blockIdx.x + tiles - count, tiles - blockIdx.x - 1);
}
