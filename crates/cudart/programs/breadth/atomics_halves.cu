/* Atomics on halves and on pairs of them. */
#include "program.h"
#include <cuda_bf16.h>
#include <cuda_fp16.h>

__global__ void add(__half *one, __half2 *pair, __nv_bfloat16 *brain) {
  atomicAdd(one, __float2half(0.5f));
  atomicAdd(pair, __floats2half2_rn(1, 2));
  atomicAdd(brain, __float2bfloat16(0.25f));
}
PROGRAM(atomics_halves) {
  __half *one = zeros<__half>(2);
  __half2 *pair = zeros<__half2>(1);
  __nv_bfloat16 *brain = zeros<__nv_bfloat16>(2);
  add<<<2, 64>>>(one + 1, pair, brain);
  std::vector<__half> halves = download(one, 2);
  REQUIRE(__half2float(halves[1]) == 64 && __half2float(halves[0]) == 0);
  __half2 sums = download(pair, 1)[0];
  REQUIRE(__low2float(sums) == 128 && __high2float(sums) == 256);
  REQUIRE(__bfloat162float(download(brain, 2)[0]) == 32);
}
