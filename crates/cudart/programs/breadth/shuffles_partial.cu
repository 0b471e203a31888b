/* A reduction over the first lanes of a warp with the loop of the whole warp: the other lanes add nothing. */
#include "program.h"

__device__ int sum_of_warp(unsigned mask, int value) {
  for (int offset = 16; offset > 0; offset /= 2)
    value += __shfl_down_sync(mask, value, offset);
  return value;
}
__global__ void reduce(const int *in, int *out) {
  __shared__ int sums[8];
  int sum = sum_of_warp(0xffffffffu, in[threadIdx.x]);
  if (threadIdx.x % 32 == 0)
    sums[threadIdx.x / 32] = sum;
  __syncthreads();
  unsigned mask = __ballot_sync(0xffffffffu, threadIdx.x < 8);
  if (threadIdx.x < 8)
    sum = sum_of_warp(mask, sums[threadIdx.x]);
  if (threadIdx.x == 0)
    *out = sum;
}
PROGRAM(shuffles_partial) {
  int *in = upload(ramp<int>(256, 1)), *out = zeros<int>(1);
  reduce<<<1, 256>>>(in, out);
  REQUIRE(download(out, 1)[0] == 256 * 257 / 2);
}
