// One time step of the compressible Euler equations on an unstructured grid: step factor, flux over four faces a cell,
// and three Runge–Kutta stages; variables as a structure of arrays, the far field in constant memory, as Rodinia's cfd.
#include "device.h"

#define FACES 4
#define GAMMA 1.4f
#define WALL (-1)
#define FAR_FIELD (-2)

struct State { float density, mx, my, mz, energy; };
struct Derived { float vx, vy, vz, pressure, speed_of_sound, speed; };

__constant__ float far_field[5];

DEV State load(const float* v, int i, int n) { return {v[i], v[i + n], v[i + 2 * n], v[i + 3 * n], v[i + 4 * n]}; }

DEV Derived derive(const State& s) {
  Derived d;
  d.vx = s.mx / s.density;
  d.vy = s.my / s.density;
  d.vz = s.mz / s.density;
  float speed2 = d.vx * d.vx + d.vy * d.vy + d.vz * d.vz;
  d.speed = sqrtf(speed2);
  d.pressure = (GAMMA - 1.0f) * (s.energy - 0.5f * s.density * speed2);
  d.speed_of_sound = sqrtf(GAMMA * d.pressure / s.density);
  return d;
}

KERNEL initialize(float* variables, int n) {
  int i = global_id();
  if (i >= n) return;
  for (int k = 0; k < 5; ++k) variables[i + k * n] = far_field[k];
}

KERNEL step_factors(const float* variables, const float* areas, float* factors, int n) {
  int i = global_id();
  if (i >= n) return;
  Derived d = derive(load(variables, i, n));
  factors[i] = 0.5f / (sqrtf(areas[i]) * (d.speed + d.speed_of_sound));
}

// Flux of a state through a unit of area along (nx, ny, nz).
DEV void add_flux(float* sum, const State& s, const Derived& d, float nx, float ny, float nz) {
  float through = d.vx * nx + d.vy * ny + d.vz * nz;
  sum[0] += 0.5f * s.density * through;
  sum[1] += 0.5f * (s.mx * through + d.pressure * nx);
  sum[2] += 0.5f * (s.my * through + d.pressure * ny);
  sum[3] += 0.5f * (s.mz * through + d.pressure * nz);
  sum[4] += 0.5f * (s.energy + d.pressure) * through;
}

KERNEL fluxes(const int* neighbours, const float* normals, const float* variables, float* flux, int n) {
  const float smoothing = 0.2f;
  int i = global_id();
  if (i >= n) return;
  State mine = load(variables, i, n);
  Derived own = derive(mine);
  float sum[5] = {0.0f, 0.0f, 0.0f, 0.0f, 0.0f};
#pragma unroll
  for (int f = 0; f < FACES; ++f) {
    int other = neighbours[i + f * n];
    float nx = normals[i + f * n], ny = normals[i + (f + FACES) * n], nz = normals[i + (f + 2 * FACES) * n];
    if (other == WALL) {
      sum[1] += own.pressure * nx;
      sum[2] += own.pressure * ny;
      sum[3] += own.pressure * nz;
      continue;
    }
    State theirs = other >= 0 ? load(variables, other, n)
                              : State{far_field[0], far_field[1], far_field[2], far_field[3], far_field[4]};
    Derived far = derive(theirs);
    add_flux(sum, mine, own, nx, ny, nz);
    add_flux(sum, theirs, far, nx, ny, nz);
    if (other >= 0) {
      float area = sqrtf(nx * nx + ny * ny + nz * nz);
      float factor = -area * smoothing * 0.5f *
                     (own.speed + far.speed + own.speed_of_sound + far.speed_of_sound);
      sum[0] -= factor * (mine.density - theirs.density);
      sum[1] -= factor * (mine.mx - theirs.mx);
      sum[2] -= factor * (mine.my - theirs.my);
      sum[3] -= factor * (mine.mz - theirs.mz);
      sum[4] -= factor * (mine.energy - theirs.energy);
    }
  }
  for (int k = 0; k < 5; ++k) flux[i + k * n] = sum[k];
}

KERNEL advance(const float* old, float* variables, const float* factors, const float* flux, float stage, int n) {
  int i = global_id();
  if (i >= n) return;
  float factor = factors[i] / stage;
  for (int k = 0; k < 5; ++k) variables[i + k * n] = old[i + k * n] - factor * flux[i + k * n];
}
