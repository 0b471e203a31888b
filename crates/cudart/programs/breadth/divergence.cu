/* Branches, switches and loops of different lengths in a warp. */
#include "program.h"

__global__ void compute(int *out) {
  int x = threadIdx.x, result = 0;
  switch (x % 5) {
  case 0: result = 10; break;
  case 1: result = 11;
  case 2: result += 20; break;
  default: result = x;
  }
  for (int i = 0; i < x; i++) {
    if (i == 9)
      break;
    if (i % 2)
      continue;
    result += i;
  }
  out[x] = result;
}
PROGRAM(divergence) {
  int *out = zeros<int>(32);
  compute<<<1, 32>>>(out);
  std::vector<int> got = download(out, 32);
  for (int x = 0; x < 32; x++) {
    int result = x % 5 == 0 ? 10 : x % 5 == 1 ? 31 : x % 5 == 2 ? 20 : x;
    for (int i = 0; i < x && i != 9; i++)
      result += i % 2 ? 0 : i;
    REQUIRE(got[x] == result);
  }
}
