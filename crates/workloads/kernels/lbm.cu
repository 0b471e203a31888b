// Lattice Boltzmann, 19 velocities in three dimensions: collide and stream in one kernel, distributions as a structure
// of arrays, obstacles bounce back, as Parboil's lbm. The lattice is periodic.
#include "device.h"

#define Q 19

__constant__ int direction_x[Q] = {0, 0, 0, 1, -1, 0, 0, 1, -1, 1, -1, 0, 0, 0, 0, 1, 1, -1, -1};
__constant__ int direction_y[Q] = {0, 1, -1, 0, 0, 0, 0, 1, 1, -1, -1, 1, 1, -1, -1, 0, 0, 0, 0};
__constant__ int direction_z[Q] = {0, 0, 0, 0, 0, 1, -1, 0, 0, 0, 0, 1, -1, 1, -1, 1, -1, 1, -1};
__constant__ int opposite[Q] = {0, 2, 1, 4, 3, 6, 5, 10, 9, 8, 7, 14, 13, 12, 11, 18, 17, 16, 15};

KERNEL lbm(const float* from, float* to, const uchar* is_obstacle, int nx, int ny, int nz, float omega) {
  int x = threadIdx.x, y = blockIdx.x, z = blockIdx.y;
  int cells = nx * ny * nz, cell = (z * ny + y) * nx + x;
  float f[Q];
#pragma unroll
  for (int i = 0; i < Q; ++i) f[i] = from[i * cells + cell];
  if (!is_obstacle[cell]) {
    float density = 0.0f, ux = 0.0f, uy = 0.0f, uz = 0.0f;
#pragma unroll
    for (int i = 0; i < Q; ++i) {
      density += f[i];
      ux += f[i] * direction_x[i];
      uy += f[i] * direction_y[i];
      uz += f[i] * direction_z[i];
    }
    ux /= density;
    uy /= density;
    uz /= density;
    float rest = 1.5f * (ux * ux + uy * uy + uz * uz);
#pragma unroll
    for (int i = 0; i < Q; ++i) {
      float along = 3.0f * (direction_x[i] * ux + direction_y[i] * uy + direction_z[i] * uz);
      float weight = i == 0 ? 1.0f / 3 : i < 7 ? 1.0f / 18 : 1.0f / 36;
      float equilibrium = weight * density * (1.0f + along + 0.5f * along * along - rest);
      f[i] += omega * (equilibrium - f[i]);
    }
  }
  bool turns = is_obstacle[cell];
#pragma unroll
  for (int i = 0; i < Q; ++i) {
    int go = turns ? opposite[i] : i;
    int tx = (x + direction_x[go] + nx) % nx, ty = (y + direction_y[go] + ny) % ny, tz = (z + direction_z[go] + nz) % nz;
    to[go * cells + (tz * ny + ty) * nx + tx] = f[i];
  }
}
