/* Atomics on floats and doubles. */
#include "program.h"

__global__ void add(float *f, double *d) {
  atomicAdd(f, 0.5f);
  atomicAdd(d, 0.25);
}
PROGRAM(atomics_floats) {
  float *f = zeros<float>(1);
  double *d = zeros<double>(1);
  add<<<4, 64>>>(f, d);
  REQUIRE(download(f, 1)[0] == 128 && download(d, 1)[0] == 64);
}
