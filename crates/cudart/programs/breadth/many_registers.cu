/* A kernel that keeps many values at once in a large thread block. */
#include "program.h"

__global__ void compute(const float *in, float *out) {
  float v[80], sum = 0;
#pragma unroll
  for (int i = 0; i < 80; i++)
    v[i] = in[(threadIdx.x + i) % 1024];
#pragma unroll
  for (int i = 0; i < 80; i++)
    sum += v[i] * v[79 - i];
#pragma unroll
  for (int i = 0; i < 80; i++)
    sum -= v[i];
  out[threadIdx.x] = sum;
}
PROGRAM(many_registers) {
  std::vector<float> host(1024);
  for (int i = 0; i < 1024; i++)
    host[i] = i % 8;
  float *out = zeros<float>(1024);
  compute<<<1, 1024>>>(upload(host), out);
  std::vector<float> got = download(out, 1024);
  for (int t = 0; t < 1024; t++) {
    float sum = 0;
    for (int i = 0; i < 80; i++)
      sum += host[(t + i) % 1024] * host[(t + 79 - i) % 1024];
    for (int i = 0; i < 80; i++)
      sum -= host[(t + i) % 1024];
    REQUIRE(got[t] == sum);
  }
}
