/* Clocks of an SM. */
#include "program.h"

__global__ void measure(long long *out) {
  long long start = clock64();
  float x = threadIdx.x;
  for (int i = 0; i < 100; i++)
    x = x * 1.5f + 1;
  out[threadIdx.x] = clock64() - start + (x < 0);
}
PROGRAM(clock_kernel) {
  long long *out = zeros<long long>(32);
  measure<<<1, 32>>>(out);
  REQUIRE(download(out, 32)[0] > 0);
}
