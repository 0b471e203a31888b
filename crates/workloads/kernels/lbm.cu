// Lattice Boltzmann, 19 velocities in three dimensions, as Parboil's lbm: collide and stream in one kernel, a thread a cell and a thread
// block a line of cells. Every velocity, and the flags of the cells, is an array of its own with padded lines; a cell reads its own values
// and writes to its neighbours. Solid cells send back what comes; the lid imposes a velocity. Sizes are constants, as in the original, so
// that an access needs no instruction for its address: there is a kernel for each size.
#include "device.h"

#define Q 19
#define SOLID 1u
#define LID 2u
#define OMEGA 1.95f

template <int PITCH, int LAYER, int LATTICE>
DEV void collide_and_stream(const float* from, float* to) {
  const int dx[Q] = {0, 0, 0, 1, -1, 0, 0, 1, -1, 1, -1, 0, 0, 0, 0, 1, 1, -1, -1};
  const int dy[Q] = {0, 1, -1, 0, 0, 0, 0, 1, 1, -1, -1, 1, 1, -1, -1, 0, 0, 0, 0};
  const int dz[Q] = {0, 0, 0, 0, 0, 1, -1, 0, 0, 0, 0, 1, -1, 1, -1, 1, -1, 1, -1};
  const int opposite[Q] = {0, 2, 1, 4, 3, 6, 5, 10, 9, 8, 7, 14, 13, 12, 11, 18, 17, 16, 15};
  int cell = threadIdx.x + blockIdx.x * PITCH + blockIdx.y * LAYER;
  from += cell;
  to += cell;
  float f[Q], out[Q];
#pragma unroll
  for (int i = 0; i < Q; ++i) f[i] = from[i * LATTICE];
  uint flags = __float_as_uint(from[Q * LATTICE]);
  if (flags & SOLID) {
#pragma unroll
    for (int i = 0; i < Q; ++i) out[i] = f[opposite[i]];
  } else {
    float density = 0.0f, ux = 0.0f, uy = 0.0f, uz = 0.0f;
#pragma unroll
    for (int i = 0; i < Q; ++i) {
      density += f[i];
      if (dx[i]) ux += dx[i] > 0 ? f[i] : -f[i];
      if (dy[i]) uy += dy[i] > 0 ? f[i] : -f[i];
      if (dz[i]) uz += dz[i] > 0 ? f[i] : -f[i];
    }
    ux /= density;
    uy /= density;
    uz /= density;
    if (flags & LID) {
      ux = 0.005f;
      uy = 0.002f;
      uz = 0.000f;
    }
    float rest = 1.5f * (ux * ux + uy * uy + uz * uz) - 1.0f, scaled = OMEGA * density;
#pragma unroll
    for (int i = 0; i < Q; ++i) {
      float weight = i == 0 ? 1.0f / 3.0f : i < 7 ? 1.0f / 18.0f : 1.0f / 36.0f, along = 0.0f;
      if (dx[i]) along = dx[i] > 0 ? ux : -ux;
      if (dy[i]) along = dx[i] ? (dy[i] > 0 ? along + uy : along - uy) : (dy[i] > 0 ? uy : -uy);
      if (dz[i]) along = dx[i] || dy[i] ? (dz[i] > 0 ? along + uz : along - uz) : (dz[i] > 0 ? uz : -uz);
      float equilibrium = i == 0 ? -rest : along * (4.5f * along + 3.0f) - rest;
      out[i] = (1.0f - OMEGA) * f[i] + weight * scaled * equilibrium;
    }
  }
#pragma unroll
  for (int i = 0; i < Q; ++i) to[i * LATTICE + dx[i] + dy[i] * PITCH + dz[i] * LAYER] = out[i];
}

// Lines of 120 cells, or of 30, have 8 cells of padding; there are four layers more than the lattice has.
#define PADDED(WIDTH, HEIGHT, DEPTH) WIDTH + 8, (WIDTH + 8) * HEIGHT, (WIDTH + 8) * HEIGHT * (DEPTH + 4)
KERNEL lbm_5(const float* from, float* to) { collide_and_stream<PADDED(30, 6, 5)>(from, to); }
KERNEL lbm_14(const float* from, float* to) { collide_and_stream<PADDED(120, 24, 14)>(from, to); }
KERNEL lbm_150(const float* from, float* to) { collide_and_stream<PADDED(120, 120, 150)>(from, to); }
