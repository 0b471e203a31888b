// Eight ways to move a square matrix, as the CUDA SDK's transpose sample measures them: two copies, four transposes and two that
// move only half of the way. A thread block of 16 × 16 threads takes a tile of 16 × 16 elements; the side is a multiple of 16.
#include "device.h"

#define TILE 16

struct Place { int x, y; };
DEV Place tile_at(int column, int row) {
  return {(int)(column * TILE + threadIdx.x), (int)(row * TILE + threadIdx.y)};
}

KERNEL copy(float* out, const float* in, int width, int height) {
  Place at = tile_at(blockIdx.x, blockIdx.y);
  int index = at.x + width * at.y;
  out[index] = in[index];
}

KERNEL copy_shared(float* out, const float* in, int width, int height) {
  __shared__ float tile[TILE][TILE];
  Place at = tile_at(blockIdx.x, blockIdx.y);
  int index = at.x + width * at.y;
  if (at.x < width && at.y < height) tile[threadIdx.y][threadIdx.x] = in[index];
  __syncthreads();
  if (at.x < height && at.y < width) out[index] = tile[threadIdx.y][threadIdx.x];
}

KERNEL transpose_naive(float* out, const float* in, int width, int height) {
  Place at = tile_at(blockIdx.x, blockIdx.y);
  out[at.y + height * at.x] = in[at.x + width * at.y];
}

// Transposes through a tile of shared memory; PADDING shifts its rows to other banks.
template <int PADDING> DEV void through_tile(float* out, const float* in, int width, int height, int column, int row) {
  __shared__ float tile[TILE][TILE + PADDING];
  Place from = tile_at(column, row), to = tile_at(row, column);
  tile[threadIdx.y][threadIdx.x] = in[from.x + from.y * width];
  __syncthreads();
  out[to.x + to.y * height] = tile[threadIdx.x][threadIdx.y];
}

KERNEL transpose_coalesced(float* out, const float* in, int width, int height) {
  through_tile<0>(out, in, width, height, blockIdx.x, blockIdx.y);
}

KERNEL transpose_no_conflicts(float* out, const float* in, int width, int height) {
  through_tile<1>(out, in, width, height, blockIdx.x, blockIdx.y);
}

// Tiles go to their transposed places, but elements stay where they are in the tile.
KERNEL transpose_coarse(float* out, const float* in, int width, int height) {
  __shared__ float tile[TILE][TILE + 1];
  Place from = tile_at(blockIdx.x, blockIdx.y), to = tile_at(blockIdx.y, blockIdx.x);
  tile[threadIdx.y][threadIdx.x] = in[from.x + from.y * width];
  __syncthreads();
  out[to.x + to.y * height] = tile[threadIdx.y][threadIdx.x];
}

// Elements are transposed in the tile, but tiles stay where they are.
KERNEL transpose_fine(float* out, const float* in, int width, int height) {
  __shared__ float tile[TILE][TILE + 1];
  Place at = tile_at(blockIdx.x, blockIdx.y);
  int index = at.x + at.y * width;
  tile[threadIdx.y][threadIdx.x] = in[index];
  __syncthreads();
  out[index] = tile[threadIdx.x][threadIdx.y];
}

// Neighbouring thread blocks take tiles along a diagonal, so that they do not meet in one DRAM channel.
KERNEL transpose_diagonal(float* out, const float* in, int width, int height) {
  int row, column;
  if (width == height) {
    row = blockIdx.x;
    column = (blockIdx.x + blockIdx.y) % gridDim.x;
  } else {
    int number = blockIdx.x + gridDim.x * blockIdx.y;
    row = number % gridDim.y;
    column = (number / gridDim.y + row) % gridDim.x;
  }
  through_tile<1>(out, in, width, height, column, row);
}
