/* A sum by shuffles, warp by warp, then over the thread block. */
#include "program.h"

__inline__ __device__ float warp_sum(float value) {
  for (int step = 16; step > 0; step /= 2)
    value += __shfl_down_sync(~0u, value, step);
  return value;
}
__global__ void sum(const float *in, float *out) {
  __shared__ float partial[32];
  float value = warp_sum(in[ID]);
  if (threadIdx.x % 32 == 0)
    partial[threadIdx.x / 32] = value;
  __syncthreads();
  if (threadIdx.x < 32) {
    value = warp_sum(threadIdx.x < blockDim.x / 32 ? partial[threadIdx.x] : 0);
    if (threadIdx.x == 0)
      atomicAdd(out, value);
  }
}
PROGRAM(warp_reduction) {
  float *out = zeros<float>(1);
  sum<<<4, 256>>>(upload(ramp<float>(1024)), out);
  REQUIRE(download(out, 1)[0] == 1023 * 512);
}
