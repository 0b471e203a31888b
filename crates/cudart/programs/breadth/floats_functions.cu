/* Single precision functions, exact and fast. */
#include "program.h"
#include <math.h>
__global__ void compute(const float *in, float *out, int count) {
  float x = in[threadIdx.x];
  out[threadIdx.x] = sinf(x) + cosf(x) * tanf(x / 4);
  out[count + threadIdx.x] = expf(x / 4) + logf(x + 1) + powf(x + 1, 1.5f) + cbrtf(x);
  out[2 * count + threadIdx.x] = __sinf(x) + __expf(-x) + __fdividef(x, 3.0f) + rsqrtf(x + 1);
  out[3 * count + threadIdx.x] = roundf(x) + truncf(x) + fabsf(-x) + fmaxf(x, 3) + fminf(x, 2) + hypotf(x, 2);
}
PROGRAM(floats_functions) {
  const int count = 64;
  std::vector<float> host = ramp<float>(count, 0.1f, 0.05f);
  float *out = zeros<float>(4 * count);
  compute<<<1, count>>>(upload(host), out, count);
  std::vector<float> got = download(out, 4 * count);
  for (int i = 0; i < count; i++) {
    double x = host[i];
    double expected[] = {sin(x) + cos(x) * tan(x / 4), exp(x / 4) + log(x + 1) + pow(x + 1, 1.5) + cbrt(x),
                         sin(x) + exp(-x) + x / 3 + 1 / sqrt(x + 1),
                         round(x) + trunc(x) + x + fmax(x, 3) + fmin(x, 2) + hypot(x, 2)};
    for (int k = 0; k < 4; k++)
      REQUIRE(fabs(got[k * count + i] - expected[k]) <= 1e-5 * (1 + fabs(expected[k])));
  }
}
