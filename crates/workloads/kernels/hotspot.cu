// Thermal simulation of a chip: each block advances a tile by several steps in shared memory, its border shrinking by
// one cell a step (the pyramid of Rodinia's hotspot). As there, the factor 2.0 makes the sum one in double precision.
#include "device.h"

#define TILE 16

KERNEL hotspot(int steps, const float* power, const float* from, float* to, int columns, int rows, int border,
               float capacity, float rx, float ry, float rz, float step) {
  __shared__ float here[TILE][TILE];
  __shared__ float watts[TILE][TILE];
  __shared__ float next[TILE][TILE];

  const float ambient = 80.0f;
  float step_by_capacity = step / capacity, by_rx = 1 / rx, by_ry = 1 / ry, by_rz = 1 / rz;
  int inner = TILE - steps * 2;
  int tx = threadIdx.x, ty = threadIdx.y;
  int y = inner * (int)blockIdx.y - border + ty, x = inner * (int)blockIdx.x - border + tx;
  bool is_inside = y >= 0 && y < rows && x >= 0 && x < columns;
  int index = columns * y + x;
  if (is_inside) {
    here[ty][tx] = from[index];
    watts[ty][tx] = power[index];
  }
  __syncthreads();

  // Cells beyond the chip's edge take the value of the edge.
  int first_y = max(0, -(inner * (int)blockIdx.y - border));
  int last_y = min(TILE - 1, rows - 1 - (inner * (int)blockIdx.y - border));
  int first_x = max(0, -(inner * (int)blockIdx.x - border));
  int last_x = min(TILE - 1, columns - 1 - (inner * (int)blockIdx.x - border));
  int north = max(ty - 1, first_y), south = min(ty + 1, last_y);
  int west = max(tx - 1, first_x), east = min(tx + 1, last_x);

  bool is_computed = false;
  for (int i = 0; i < steps; ++i) {
    is_computed = false;
    if (tx >= i + 1 && tx <= TILE - i - 2 && ty >= i + 1 && ty <= TILE - i - 2 && is_inside) {
      is_computed = true;
      next[ty][tx] = here[ty][tx] +
                     step_by_capacity *
                         (watts[ty][tx] + (here[south][tx] + here[north][tx] - 2.0 * here[ty][tx]) * by_ry +
                          (here[ty][east] + here[ty][west] - 2.0 * here[ty][tx]) * by_rx + (ambient - here[ty][tx]) * by_rz);
    }
    __syncthreads();
    if (i == steps - 1) break;
    if (is_computed) here[ty][tx] = next[ty][tx];
    __syncthreads();
  }
  if (is_computed) to[index] = next[ty][tx];
}
