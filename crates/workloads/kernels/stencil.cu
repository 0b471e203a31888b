// A 7-point stencil in three dimensions: a thread walks up a column and keeps its neighbours above and below in
// registers, as Parboil's stencil does.
#include "device.h"

KERNEL stencil(float c0, float c1, const float* from, float* to, int nx, int ny, int nz) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || y < 1 || x >= nx - 1 || y >= ny - 1) return;
  int layer = nx * ny, at = y * nx + x;
  float below = from[at], here = from[at + layer];
  for (int z = 1; z < nz - 1; ++z) {
    int i = at + z * layer;
    float above = from[i + layer];
    to[i] = c1 * (above + below + from[i + nx] + from[i - nx] + from[i + 1] + from[i - 1]) - c0 * here;
    below = here;
    here = above;
  }
}
