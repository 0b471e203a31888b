/* Atomics on integers of 32 and 64 bits. */
#include "program.h"

__global__ void all(unsigned *u, int *s, unsigned long long *w) {
  atomicAdd(&u[0], threadIdx.x);
  atomicSub(&u[1], 1u);
  atomicExch(&u[2], 7u);
  atomicMin(&u[3], threadIdx.x + 3);
  atomicMax(&u[4], threadIdx.x);
  atomicInc(&u[5], 9u);
  atomicDec(&u[6], 9u);
  atomicAnd(&u[7], ~(1u << (threadIdx.x % 32)));
  atomicOr(&u[8], 1u << (threadIdx.x % 32));
  atomicXor(&u[9], threadIdx.x);
  atomicCAS(&u[10], 0u, 1u);
  atomicMin(&s[0], -(int)threadIdx.x);
  atomicMax(&s[1], (int)threadIdx.x - 100);
  atomicAdd(&s[2], -1);
  atomicAdd(&w[0], 1ull << 33);
  atomicMax(&w[1], (unsigned long long)threadIdx.x << 32);
  atomicExch(&w[2], 5ull);
  atomicCAS(&w[3], 0ull, ~0ull);
}
PROGRAM(atomics_integers) {
  std::vector<unsigned> u = {0, 200, 0, 99, 0, 0, 0, ~0u, 0, 0, 0};
  std::vector<int> s = {0, -200, 0};
  unsigned *du = upload(u);
  int *ds = upload(s);
  unsigned long long *dw = zeros<unsigned long long>(4);
  all<<<1, 64>>>(du, ds, dw);
  u = download(du, 11);
  s = download(ds, 3);
  std::vector<unsigned long long> w = download(dw, 4);
  unsigned expected[] = {2016, 136, 7, 3, 63, 4, 6, 0, ~0u, 0, 1};
  for (int i = 0; i < 11; i++)
    REQUIRE(u[i] == expected[i]);
  REQUIRE(s[0] == -63 && s[1] == -37 && s[2] == -64);
  REQUIRE(w[0] == 64ull << 33 && w[1] == 63ull << 32 && w[2] == 5 && w[3] == ~0ull);
}
