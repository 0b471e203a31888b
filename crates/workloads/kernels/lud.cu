// LU decomposition without pivoting in 16 × 16 tiles: the diagonal tile, the tiles of its row and column, and all the
// tiles right and below, as Rodinia's lud has them.
#include "device.h"

#define TILE 16

KERNEL lud_diagonal(float* m, int size, int offset) {
  __shared__ float tile[TILE][TILE];
  int t = threadIdx.x;
  for (int i = 0; i < TILE; ++i) tile[i][t] = m[(offset + i) * size + offset + t];
  __syncthreads();
  for (int i = 0; i < TILE - 1; ++i) {
    if (t > i) {
      for (int k = 0; k < i; ++k) tile[t][i] -= tile[t][k] * tile[k][i];
      tile[t][i] /= tile[i][i];
    }
    __syncthreads();
    if (t > i)
      for (int k = 0; k < i + 1; ++k) tile[i + 1][t] -= tile[i + 1][k] * tile[k][t];
    __syncthreads();
  }
  for (int i = 1; i < TILE; ++i) m[(offset + i) * size + offset + t] = tile[i][t];
}

// Half of the threads solve a tile of the pivot row, the other half a tile of the pivot column.
KERNEL lud_perimeter(float* m, int size, int offset) {
  __shared__ float diagonal[TILE][TILE], row[TILE][TILE], column[TILE][TILE];
  int t = threadIdx.x % TILE, away = offset + (blockIdx.x + 1) * TILE;
  bool is_row = threadIdx.x < TILE;
  for (int i = 0; i < TILE; ++i) {
    if (is_row) {
      diagonal[i][t] = m[(offset + i) * size + offset + t];
      row[i][t] = m[(offset + i) * size + away + t];
    } else {
      column[i][t] = m[(away + i) * size + offset + t];
    }
  }
  __syncthreads();
  if (is_row) {
    for (int i = 1; i < TILE; ++i)
      for (int k = 0; k < i; ++k) row[i][t] -= diagonal[i][k] * row[k][t];
  } else {
    for (int i = 0; i < TILE; ++i) {
      for (int k = 0; k < i; ++k) column[t][i] -= column[t][k] * diagonal[k][i];
      column[t][i] /= diagonal[i][i];
    }
  }
  __syncthreads();
  for (int i = 0; i < TILE; ++i) {
    if (is_row) m[(offset + i) * size + away + t] = row[i][t];
    else m[(away + i) * size + offset + t] = column[i][t];
  }
}

KERNEL lud_internal(float* m, int size, int offset) {
  __shared__ float row[TILE][TILE], column[TILE][TILE];
  int x = threadIdx.x, y = threadIdx.y;
  int left = offset + (blockIdx.x + 1) * TILE, top = offset + (blockIdx.y + 1) * TILE;
  row[y][x] = m[(offset + y) * size + left + x];
  column[y][x] = m[(top + y) * size + offset + x];
  __syncthreads();
  float sum = 0.0f;
  for (int k = 0; k < TILE; ++k) sum += column[y][k] * row[k][x];
  m[(top + y) * size + left + x] -= sum;
}
