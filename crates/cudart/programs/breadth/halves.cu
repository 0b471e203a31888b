/* Half precision: conversions, arithmetic and pairs. */
#include "program.h"
#include <cuda_fp16.h>
__global__ void compute(const float *in, float *out) {
  __half a = __float2half(in[threadIdx.x]), b = __float2half(0.5f);
  out[threadIdx.x] = __half2float(__hfma(a, b, b));
  __half2 pair = __floats2half2_rn(in[threadIdx.x], 2.0f);
  pair = __hadd2(pair, pair);
  out[32 + threadIdx.x] = __low2float(pair) + __high2float(pair);
  out[64 + threadIdx.x] = __hgt(a, b) ? 1 : 0;
}
PROGRAM(halves) {
  float *out = zeros<float>(96);
  compute<<<1, 32>>>(upload(ramp<float>(32)), out);
  std::vector<float> got = download(out, 96);
  for (int i = 0; i < 32; i++)
    REQUIRE(got[i] == i * 0.5f + 0.5f && got[32 + i] == 2 * i + 4 && got[64 + i] == (i > 0));
}
