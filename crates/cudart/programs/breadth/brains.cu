/* bfloat16: conversions and arithmetic. */
#include "program.h"
#include <cuda_bf16.h>
__global__ void compute(const float *in, float *out) {
  __nv_bfloat16 a = __float2bfloat16(in[threadIdx.x]);
  out[threadIdx.x] = __bfloat162float(a) * 2 + __bfloat162float(__float2bfloat16(1.00390625f));
}
PROGRAM(brains) {
  float *out = zeros<float>(32);
  compute<<<1, 32>>>(upload(ramp<float>(32)), out);
  std::vector<float> got = download(out, 32);
  for (int i = 0; i < 32; i++)
    REQUIRE(got[i] == 2 * i + 1.0f);
}
