// The cheapest way through a grid, row by row: each block advances a strip by several rows in shared memory, its border
// shrinking by one cell a row (the ghost zone of Rodinia's pathfinder).
#include "device.h"

#define WIDTH 256

KERNEL pathfinder(int steps, const int* wall, const int* from, int* to, int columns, int first_row, int border) {
  __shared__ int before[WIDTH], after[WIDTH];
  int t = threadIdx.x, inner = WIDTH - steps * 2;
  int start = inner * (int)blockIdx.x - border, x = start + t;
  int first = max(0, -start), last = min(WIDTH - 1, columns - 1 - start);
  bool is_inside = t >= first && t <= last;
  if (is_inside) before[t] = from[x];
  __syncthreads();
  // nvcc keeps the flag in a register and compares both counters.
  int is_computed = 0, last_step = opaque(steps) - 1;
  for (int i = 0; i < steps; ++i) {
    is_computed = opaque(0);
    if (t >= i + 1 && t <= opaque(WIDTH - 2) - i && is_inside) {
      is_computed = opaque(1);
      int shortest = min(before[max(t - 1, first)], min(before[t], before[min(t + 1, last)]));
      after[t] = shortest + wall[columns * (first_row + i) + x];
    }
    __syncthreads();
    if (i == last_step) break;
    if (is_computed) before[t] = after[t];
    __syncthreads();
  }
  if (is_computed) to[x] = after[t];
}
