/* Barriers that count and combine. */
#include "program.h"

__global__ void vote(int *out) {
  int count = __syncthreads_count(threadIdx.x % 3 == 0);
  int all = __syncthreads_and(threadIdx.x < 96), any = __syncthreads_or(threadIdx.x == 95);
  if (threadIdx.x == 0) {
    out[0] = count;
    out[1] = all;
    out[2] = any;
  }
}
PROGRAM(block_votes) {
  int *out = zeros<int>(3);
  vote<<<1, 96>>>(out);
  std::vector<int> got = download(out, 3);
  REQUIRE(got[0] == 32 && got[1] != 0 && got[2] != 0);
}
