/* Bit tricks: counts, reversals, byte permutations and funnel shifts. */
#include "program.h"

__global__ void compute(const unsigned *in, unsigned *out) {
  unsigned x = in[threadIdx.x];
  out[threadIdx.x * 6] = __popc(x);
  out[threadIdx.x * 6 + 1] = __brev(x);
  out[threadIdx.x * 6 + 2] = __byte_perm(x, 0, 0x0123);
  out[threadIdx.x * 6 + 3] = __funnelshift_l(x, x, 8);
  out[threadIdx.x * 6 + 4] = __umulhi(x, x);
  out[threadIdx.x * 6 + 5] = __popcll((unsigned long long)x << 20) + __clzll(x) + __ffsll(x);
}
PROGRAM(bits) {
  unsigned x = 0x12345678;
  unsigned *out = zeros<unsigned>(6);
  compute<<<1, 1>>>(upload(std::vector<unsigned>{x}), out);
  std::vector<unsigned> got = download(out, 6);
  REQUIRE(got[0] == 13 && got[1] == 0x1e6a2c48 && got[2] == 0x78563412 && got[3] == 0x34567812);
  REQUIRE(got[4] == 0x14b66dc && got[5] == 13 + 35 + 4);
}
