/* A stencil in steps, with two buffers that change places. */
#include "program.h"

__global__ void step(const float *in, float *out, int n) {
  int i = ID;
  if (i > 0 && i < n - 1)
    out[i] = 0.25f * in[i - 1] + 0.5f * in[i] + 0.25f * in[i + 1];
}
PROGRAM(stencil_steps) {
  const int n = 100;
  std::vector<float> a(n, 0), b(n, 0);
  a[50] = 64;
  float *x = upload(a), *y = zeros<float>(n);
  for (int s = 0; s < 4; s++) {
    step<<<1, 128>>>(x, y, n);
    std::swap(x, y);
    for (int i = 1; i < n - 1; i++)
      b[i] = 0.25f * a[i - 1] + 0.5f * a[i] + 0.25f * a[i + 1];
    std::swap(a, b);
  }
  REQUIRE(download(x, n) == a);
}
