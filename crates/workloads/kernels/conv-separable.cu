// A separable convolution of radius 8: a row pass and a column pass, tiles with their halo in shared memory.
#include "device.h"

#define RADIUS 8
#define ROW_TILE 128
#define COLUMN_WIDTH 16
#define COLUMN_TILE 48

__constant__ float weights[2 * RADIUS + 1] = {
    0.00026f, 0.00136f, 0.00568f, 0.01860f, 0.04776f, 0.09615f, 0.15172f, 0.18761f, 0.19772f,
    0.18761f, 0.15172f, 0.09615f, 0.04776f, 0.01860f, 0.00568f, 0.00136f, 0.00026f};

KERNEL convolve_rows(const float* in, float* out, int width) {
  __shared__ float tile[ROW_TILE + 2 * RADIUS];
  int first = blockIdx.x * ROW_TILE - RADIUS, line = blockIdx.y * width;
  for (int i = threadIdx.x; i < ROW_TILE + 2 * RADIUS; i += blockDim.x) {
    int x = first + i;
    tile[i] = x >= 0 && x < width ? in[line + x] : 0.0f;
  }
  __syncthreads();
  int x = blockIdx.x * ROW_TILE + threadIdx.x;
  if (x >= width) return;
  float sum = 0.0f;
#pragma unroll
  for (int k = -RADIUS; k <= RADIUS; ++k) sum += tile[threadIdx.x + RADIUS + k] * weights[RADIUS - k];
  out[line + x] = sum;
}

KERNEL convolve_columns(const float* in, float* out, int width, int height) {
  __shared__ float tile[COLUMN_TILE + 2 * RADIUS][COLUMN_WIDTH];
  int x = blockIdx.x * COLUMN_WIDTH + threadIdx.x, first = blockIdx.y * COLUMN_TILE - RADIUS;
  for (int i = threadIdx.y; i < COLUMN_TILE + 2 * RADIUS; i += blockDim.y) {
    int y = first + i;
    tile[i][threadIdx.x] = x < width && y >= 0 && y < height ? in[y * width + x] : 0.0f;
  }
  __syncthreads();
  for (int i = threadIdx.y; i < COLUMN_TILE; i += blockDim.y) {
    int y = blockIdx.y * COLUMN_TILE + i;
    if (x >= width || y >= height) break;
    float sum = 0.0f;
#pragma unroll
    for (int k = -RADIUS; k <= RADIUS; ++k) sum += tile[i + RADIUS + k][threadIdx.x] * weights[RADIUS - k];
    out[y * width + x] = sum;
  }
}
