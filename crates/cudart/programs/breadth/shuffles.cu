/* Shuffles of all four kinds, with widths. */
#include "program.h"

__global__ void shuffle(int *out) {
  int lane = threadIdx.x;
  out[lane] = __shfl_sync(~0u, lane * 3, 5);
  out[32 + lane] = __shfl_up_sync(~0u, lane, 2);
  out[64 + lane] = __shfl_down_sync(~0u, lane, 4, 8);
  out[96 + lane] = __shfl_xor_sync(~0u, lane, 16);
  out[128 + lane] = __shfl_sync(~0u, lane, 1, 4);
}
PROGRAM(shuffles) {
  int *out = zeros<int>(160);
  shuffle<<<1, 32>>>(out);
  std::vector<int> got = download(out, 160);
  for (int lane = 0; lane < 32; lane++) {
    REQUIRE(got[lane] == 15);
    REQUIRE(got[32 + lane] == (lane < 2 ? lane : lane - 2));
    REQUIRE(got[64 + lane] == (lane % 8 < 4 ? lane + 4 : lane));
    REQUIRE(got[96 + lane] == (lane ^ 16));
    REQUIRE(got[128 + lane] == lane / 4 * 4 + 1);
  }
}
