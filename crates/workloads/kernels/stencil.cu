// A 7-point stencil in three dimensions as Parboil's: a thread block of 32 × 4 threads takes 64 × 4 columns, two a thread, and walks up
// through the layers. The layer lies in shared memory, the layers above and below in registers; neighbours outside the tile are loaded
// from global memory.
#include "device.h"

KERNEL stencil(float c0, float c1, float* from, float* to, int nx, int ny, int nz) {
  extern __shared__ float tile[];
  int width = blockDim.x * 2, y = blockIdx.y * blockDim.y + threadIdx.y;
  int xs[2], at[2];
  bool is_inside[2], is_inner[2];
  float below[2] = {0.0f, 0.0f}, above[2] = {0.0f, 0.0f};
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    xs[half] = blockIdx.x * width + threadIdx.x + half * blockDim.x;
    at[half] = threadIdx.x + half * blockDim.x + threadIdx.y * width;
    is_inside[half] = xs[half] < nx && y < ny;
    is_inner[half] = xs[half] > 0 && y > 0 && xs[half] < nx - 1 && y < ny - 1;
    tile[at[half]] = 0.0f;
  }
  __syncthreads();
  bool is_first_row = threadIdx.y == 0, is_last_row = threadIdx.y == blockDim.y - 1;
  int layer = nx * ny;
#pragma unroll
  for (int half = 0; half < 2; ++half)
    if (is_inside[half]) {
      below[half] = from[xs[half] + nx * y];
      tile[at[half]] = from[xs[half] + nx * y + layer];
    }
  __syncthreads();
  for (int z = 1; z < nz - 1; ++z) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      int x = xs[half], cell = x + nx * (y + ny * z);
      if (is_inside[half]) above[half] = from[cell + layer];
      if (!is_inner[half]) continue;
      // `opaque` keeps the branches: clang would select the address and load once for the lanes of both memories.
      float back = is_last_row ? from[cell + nx] : opaque(tile[at[half] + width]);
      float front = is_first_row ? from[cell - nx] : opaque(tile[at[half] - width]);
      bool is_edge = half == 0 ? threadIdx.x == 0 : threadIdx.x == blockDim.x - 1;
      int outwards = half == 0 ? -1 : 1;
      float outer = is_edge ? from[cell + outwards] : opaque(tile[at[half] + outwards]);
      float inner = tile[at[half] - outwards];
      to[cell] = (above[half] + below[half] + back + front + inner + outer) * c1 - tile[at[half]] * c0;
    }
    __syncthreads();
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      below[half] = tile[at[half]];
      tile[at[half]] = above[half];
    }
    __syncthreads();
  }
}
