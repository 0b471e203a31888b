/* Loads, stores and prefetches that say what the caches should do. */
#include "program.h"

__global__ void copy(const int *in, int *out) {
  int i = threadIdx.x;
  asm volatile("prefetch.global.L2 [%0];" ::"l"(in + i));
  asm volatile("prefetch.global.L1 [%0];" ::"l"(in + i));
  int sum = __ldg(in + i) + __ldcg(in + i) + __ldca(in + i) + __ldcs(in + i) + __ldlu(in + i) + __ldcv(in + i);
  int4 four = __ldg((const int4 *)in + i / 4);
  __stcg(out + i, sum);
  __stcs(out + 32 + i, four.y);
  __stwb(out + 64 + i, four.w);
  __stwt(out + 96 + i, i);
  int hinted;
  asm volatile("ld.global.nc.L1::no_allocate.L2::128B.s32 %0, [%1];" : "=r"(hinted) : "l"(in + i));
  out[128 + i] = hinted;
}
PROGRAM(cache_hints) {
  int *out = zeros<int>(160);
  copy<<<1, 32>>>(upload(ramp<int>(32)), out);
  std::vector<int> got = download(out, 160);
  for (int i = 0; i < 32; i++) {
    REQUIRE(got[i] == 6 * i && got[32 + i] == i / 4 * 4 + 1 && got[64 + i] == i / 4 * 4 + 3);
    REQUIRE(got[96 + i] == i && got[128 + i] == i);
  }
}
