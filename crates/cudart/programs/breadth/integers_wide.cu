/* Integers of 64 bits: products, quotients and remainders. */
#include "program.h"

__global__ void compute(const long long *in, long long *out) {
  long long x = in[threadIdx.x];
  unsigned long long u = (unsigned long long)x;
  out[threadIdx.x * 5] = x * 1000003;
  out[threadIdx.x * 5 + 1] = x / 977;
  out[threadIdx.x * 5 + 2] = x % 977;
  out[threadIdx.x * 5 + 3] = (long long)(u / 1234567);
  out[threadIdx.x * 5 + 4] = (long long)__umul64hi(u, u) ^ (x >> 7);
}
PROGRAM(integers_wide) {
  std::vector<long long> host;
  for (int i = 0; i < 16; i++)
    host.push_back((i % 2 ? -1 : 1) * (123456789012345ll * i + 17));
  long long *out = zeros<long long>(80);
  compute<<<1, 16>>>(upload(host), out);
  std::vector<long long> got = download(out, 80);
  for (int i = 0; i < 16; i++) {
    long long x = host[i];
    unsigned long long u = (unsigned long long)x;
    REQUIRE(got[5 * i] == (long long)(u * 1000003ull) && got[5 * i + 1] == x / 977 && got[5 * i + 2] == x % 977);
    REQUIRE(got[5 * i + 3] == (long long)(u / 1234567));
    REQUIRE(got[5 * i + 4] == ((long long)(unsigned long long)((unsigned __int128)u * u >> 64) ^ (x >> 7)));
  }
}
