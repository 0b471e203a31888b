/* A transposition through a padded tile. */
#include "program.h"

#define TILE 16
__global__ void transpose(const float *in, float *out, int width, int height) {
  __shared__ float tile[TILE][TILE + 1];
  int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
  if (x < width && y < height)
    tile[threadIdx.y][threadIdx.x] = in[y * width + x];
  __syncthreads();
  x = blockIdx.y * TILE + threadIdx.x;
  y = blockIdx.x * TILE + threadIdx.y;
  if (x < height && y < width)
    out[y * height + x] = tile[threadIdx.x][threadIdx.y];
}
PROGRAM(shared_transpose) {
  const int width = 50, height = 35;
  std::vector<float> host = ramp<float>(width * height);
  float *out = zeros<float>(width * height);
  transpose<<<dim3(4, 3), dim3(TILE, TILE)>>>(upload(host), out, width, height);
  std::vector<float> got = download(out, width * height);
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++)
      REQUIRE(got[x * height + y] == host[y * width + x]);
}
