/* Double precision: arithmetic, roots and functions. */
#include "program.h"
#include <math.h>
__global__ void compute(const double *in, double *out, int count) {
  double x = in[threadIdx.x];
  out[threadIdx.x] = sqrt(x) + 1 / (x + 1);
  out[count + threadIdx.x] = exp(-x / 10) * cos(x) + log(x + 1) + pow(x + 1, 0.25);
  out[2 * count + threadIdx.x] = fma(x, x, -1.0) + floor(x / 3) + fmod(x, 7.0) + atan2(x, 2.0) + erf(x / 8);
}
PROGRAM(doubles) {
  const int count = 64;
  std::vector<double> host = ramp<double>(count, 0.125, 0.75);
  double *out = zeros<double>(3 * count);
  compute<<<1, count>>>(upload(host), out, count);
  std::vector<double> got = download(out, 3 * count);
  for (int i = 0; i < count; i++) {
    double x = host[i];
    double expected[] = {sqrt(x) + 1 / (x + 1), exp(-x / 10) * cos(x) + log(x + 1) + pow(x + 1, 0.25),
                         fma(x, x, -1.0) + floor(x / 3) + fmod(x, 7.0) + atan2(x, 2.0) + erf(x / 8)};
    for (int k = 0; k < 3; k++)
      REQUIRE(fabs(got[k * count + i] - expected[k]) <= 1e-12 * (1 + fabs(expected[k])));
  }
}
