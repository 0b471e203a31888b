// Global sequence alignment: 16 × 16 tiles of the score matrix along anti-diagonals, each tile filled along its own
// anti-diagonals in shared memory, as Rodinia's nw does.
#include "device.h"

#define TILE 16

KERNEL align(const int* similarity, int* score, int columns, int penalty, int first_x, int last_y) {
  __shared__ int cell[TILE + 1][TILE + 1];
  __shared__ int reward[TILE][TILE];
  int t = threadIdx.x;
  int tile_x = first_x + blockIdx.x, tile_y = last_y - blockIdx.x;
  int corner = columns * TILE * tile_y + TILE * tile_x;
  for (int y = 0; y < TILE; ++y) reward[y][t] = similarity[corner + columns * (y + 1) + t + 1];
  if (t == 0) cell[0][0] = score[corner];
  cell[t + 1][0] = score[corner + columns * (t + 1)];
  cell[0][t + 1] = score[corner + t + 1];
  __syncthreads();
  for (int diagonal = 0; diagonal < 2 * TILE - 1; ++diagonal) {
    int x = t, y = diagonal - t;
    if (y >= 0 && y < TILE) {
      int match = cell[y][x] + reward[y][x];
      int gap = max(cell[y + 1][x], cell[y][x + 1]) - penalty;
      cell[y + 1][x + 1] = max(match, gap);
    }
    __syncthreads();
  }
  for (int y = 0; y < TILE; ++y) score[corner + columns * (y + 1) + t + 1] = cell[y + 1][t + 1];
}
