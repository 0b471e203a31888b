// LU decomposition without pivoting in 16 × 16 tiles: the diagonal tile, the tiles of its row and column, and all the
// tiles right and below, as Rodinia's lud has them.
#include "device.h"

#define TILE 16

KERNEL lud_diagonal(float* m, int size, int offset) {
  __shared__ float tile[TILE][TILE];
  int t = threadIdx.x, at = offset * size + offset;
  for (int i = 0; i < TILE; ++i) {
    tile[i][t] = m[at + t];
    at += size;
  }
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
  // The first row is as it was.
  at = (offset + 1) * size + offset;
  for (int i = 1; i < TILE; ++i) {
    m[at + t] = tile[i][t];
    at += size;
  }
}

// Half of the threads solve a tile of the pivot row, the other half a tile of the pivot column; each half loads half of
// the diagonal tile.
KERNEL lud_perimeter(float* m, int size, int offset) {
  __shared__ float diagonal[TILE][TILE], row[TILE][TILE], column[TILE][TILE];
  int t, at, away = (blockIdx.x + 1) * TILE;
  if (threadIdx.x < TILE) {
    t = threadIdx.x;
    at = offset * size + offset;
    for (int i = 0; i < TILE / 2; ++i) {
      diagonal[i][t] = m[at + t];
      at += size;
    }
    at = offset * size + offset;
    for (int i = 0; i < TILE; ++i) {
      row[i][t] = m[at + away + t];
      at += size;
    }
  } else {
    t = threadIdx.x - TILE;
    at = (offset + TILE / 2) * size + offset;
    for (int i = TILE / 2; i < TILE; ++i) {
      diagonal[i][t] = m[at + t];
      at += size;
    }
    at = (offset + away) * size + offset;
    for (int i = 0; i < TILE; ++i) {
      column[i][t] = m[at + t];
      at += size;
    }
  }
  __syncthreads();
  if (threadIdx.x < TILE) {
    for (int i = 1; i < TILE; ++i)
      for (int k = 0; k < i; ++k) row[i][t] -= diagonal[i][k] * row[k][t];
  } else {
    for (int i = 0; i < TILE; ++i) {
      for (int k = 0; k < i; ++k) column[t][i] -= column[t][k] * diagonal[k][i];
      column[t][i] /= diagonal[i][i];
    }
  }
  __syncthreads();
  if (threadIdx.x < TILE) {
    at = (offset + 1) * size + offset;
    for (int i = 1; i < TILE; ++i) {
      m[at + away + t] = row[i][t];
      at += size;
    }
  } else {
    at = (offset + away) * size + offset;
    for (int i = 0; i < TILE; ++i) {
      m[at + t] = column[i][t];
      at += size;
    }
  }
}

KERNEL lud_internal(float* m, int size, int offset) {
  __shared__ float row[TILE][TILE], column[TILE][TILE];
  int x = threadIdx.x, y = threadIdx.y;
  int top = offset + (blockIdx.y + 1) * TILE, left = offset + (blockIdx.x + 1) * TILE;
  row[y][x] = m[(offset + y) * size + left + x];
  column[y][x] = m[(top + y) * size + offset + x];
  __syncthreads();
  float sum = 0.0f;
  for (int k = 0; k < TILE; ++k) sum += column[y][k] * row[k][x];
  m[(top + y) * size + left + x] -= sum;
}
