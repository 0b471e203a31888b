/* Shuffles of 64-bit values and doubles. */
#include "program.h"

__global__ void shuffle(double *d, long long *w) {
  d[threadIdx.x] = __shfl_down_sync(~0u, threadIdx.x + 0.5, 1);
  w[threadIdx.x] = __shfl_xor_sync(~0u, (long long)threadIdx.x << 40, 1);
}
PROGRAM(shuffles_wide) {
  double *d = zeros<double>(32);
  long long *w = zeros<long long>(32);
  shuffle<<<1, 32>>>(d, w);
  REQUIRE(download(d, 32)[3] == 4.5 && download(d, 32)[31] == 31.5);
  REQUIRE(download(w, 32)[6] == 7ll << 40);
}
