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

// A step from one variable to the next is one addition.
DEV State load(const float* v, int i, int n) {
  const float *density = v + i, *mx = density + n, *my = mx + n, *mz = my + n, *energy = mz + n;
  return {*density, *mx, *my, *mz, *energy};
}

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

// What a state carries along each axis: momentum, with the pressure on the diagonal, and energy.
struct Carried { float xx, yy, zz, xy, xz, yz, ex, ey, ez; };

DEV Carried carried(const State& s, const Derived& d) {
  float energy = s.energy + d.pressure;
  return {d.vx * s.mx + d.pressure, d.vy * s.my + d.pressure, d.vz * s.mz + d.pressure, d.vx * s.my, d.vx * s.mz, d.vy * s.mz,
          d.vx * energy, d.vy * energy, d.vz * energy};
}

// Half of what two states carry along an axis, of which `along` is the part of the normal.
DEV void add_axis(float* sum, float along, float mass, float mx, float my, float mz, float energy) {
  float half = 0.5f * along;
  sum[0] += half * mass;
  sum[4] += half * energy;
  sum[1] += half * mx;
  sum[2] += half * my;
  sum[3] += half * mz;
}

DEV void add_flux(float* sum, const State& s, const Carried& a, const State& t, const Carried& b, float nx, float ny, float nz) {
  add_axis(sum, nx, t.mx + s.mx, b.xx + a.xx, b.xy + a.xy, b.xz + a.xz, b.ex + a.ex);
  add_axis(sum, ny, t.my + s.my, b.xy + a.xy, b.yy + a.yy, b.yz + a.yz, b.ey + a.ey);
  add_axis(sum, nz, t.mz + s.mz, b.xz + a.xz, b.yz + a.yz, b.zz + a.zz, b.ez + a.ez);
}

KERNEL fluxes(const int* neighbours, const float* normals, const float* variables, float* flux, int n) {
  const float smoothing = 0.2f;
  int i = global_id();
  if (i >= n) return;
  State mine = load(variables, i, n);
  Derived own = derive(mine);
  Carried from = carried(mine, own);
  float sum[5] = {0.0f, 0.0f, 0.0f, 0.0f, 0.0f};
  const int* neighbour = neighbours + i;
  const float *face_x = normals + i, *face_y = face_x + FACES * n, *face_z = face_y + FACES * n;
#pragma unroll
  for (int f = 0; f < FACES; ++f, neighbour += n, face_x += n, face_y += n, face_z += n) {
    int other = *neighbour;
    float nx = *face_x, ny = *face_y, nz = *face_z;
    float area = sqrtf(nx * nx + ny * ny + nz * nz);
    if (other >= 0) {
      State theirs = load(variables, other, n);
      Derived far = derive(theirs);
      float factor = area * smoothing * 0.5f *
                     (own.speed + far.speed + own.speed_of_sound + far.speed_of_sound);
      sum[0] += factor * (mine.density - theirs.density);
      sum[4] += factor * (mine.energy - theirs.energy);
      sum[1] += factor * (mine.mx - theirs.mx);
      sum[2] += factor * (mine.my - theirs.my);
      sum[3] += factor * (mine.mz - theirs.mz);
      add_flux(sum, mine, from, theirs, carried(theirs, far), nx, ny, nz);
    } else if (other == WALL) {
      sum[1] += own.pressure * nx;
      sum[2] += own.pressure * ny;
      sum[3] += own.pressure * nz;
    } else if (other == FAR_FIELD) {
      State free = {far_field[0], far_field[1], far_field[2], far_field[3], far_field[4]};
      add_flux(sum, mine, from, free, carried(free, derive(free)), nx, ny, nz);
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
