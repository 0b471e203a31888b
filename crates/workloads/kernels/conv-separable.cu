// A separable convolution of radius 8 as the CUDA SDK's sample has it: rows, then columns, tiles with their halo in shared memory.
// A thread makes eight results; a row block has 16 × 4 threads and a column block 16 × 8, so a warp touches 64-byte segments.
#include "device.h"

#define RADIUS 8
#define RESULTS 8
#define HALO 1

#define ROW_X 16
#define ROW_Y 4
#define COLUMN_X 16
#define COLUMN_Y 8

__constant__ float weights[2 * RADIUS + 1];

// The pixels at distance `j` from a pixel, each times its weight. A function would compile to other instructions.
#define WEIGHTED_SUM(PIXEL)                                                        \
  float sum = 0;                                                                   \
  _Pragma("unroll") for (int j = -RADIUS; j <= RADIUS; ++j) sum += weights[RADIUS - j] * PIXEL;

KERNEL convolve_rows(float* out, const float* in, int width, int height, int pitch) {
  __shared__ float tile[ROW_Y][(RESULTS + 2 * HALO) * ROW_X];
  int x = (blockIdx.x * RESULTS - HALO) * ROW_X + threadIdx.x, y = blockIdx.y * ROW_Y + threadIdx.y;
  in += y * pitch + x;
  out += y * pitch + x;
#pragma unroll
  for (int i = HALO; i < HALO + RESULTS; ++i) tile[threadIdx.y][threadIdx.x + i * ROW_X] = in[i * ROW_X];
#pragma unroll
  for (int i = 0; i < HALO; ++i)
    tile[threadIdx.y][threadIdx.x + i * ROW_X] = x >= -i * ROW_X ? in[i * ROW_X] : 0;
#pragma unroll
  for (int i = HALO + RESULTS; i < 2 * HALO + RESULTS; ++i)
    tile[threadIdx.y][threadIdx.x + i * ROW_X] = width - x > i * ROW_X ? in[i * ROW_X] : 0;
  __syncthreads();
#pragma unroll
  for (int i = HALO; i < HALO + RESULTS; ++i) {
    WEIGHTED_SUM(tile[threadIdx.y][threadIdx.x + i * ROW_X + j])
    out[i * ROW_X] = sum;
  }
}

KERNEL convolve_columns(float* out, const float* in, int width, int height, int pitch) {
  __shared__ float tile[COLUMN_X][(RESULTS + 2 * HALO) * COLUMN_Y + 1];
  int x = blockIdx.x * COLUMN_X + threadIdx.x, y = (blockIdx.y * RESULTS - HALO) * COLUMN_Y + threadIdx.y;
  in += y * pitch + x;
  out += y * pitch + x;
#pragma unroll
  for (int i = HALO; i < HALO + RESULTS; ++i)
    tile[threadIdx.x][threadIdx.y + i * COLUMN_Y] = in[i * COLUMN_Y * pitch];
#pragma unroll
  for (int i = 0; i < HALO; ++i)
    tile[threadIdx.x][threadIdx.y + i * COLUMN_Y] = y >= -i * COLUMN_Y ? in[i * COLUMN_Y * pitch] : 0;
#pragma unroll
  for (int i = HALO + RESULTS; i < 2 * HALO + RESULTS; ++i)
    tile[threadIdx.x][threadIdx.y + i * COLUMN_Y] = height - y > i * COLUMN_Y ? in[i * COLUMN_Y * pitch] : 0;
  __syncthreads();
#pragma unroll
  for (int i = HALO; i < HALO + RESULTS; ++i) {
    WEIGHTED_SUM(tile[threadIdx.x][threadIdx.y + i * COLUMN_Y + j])
    out[i * COLUMN_Y * pitch] = sum;
  }
}
