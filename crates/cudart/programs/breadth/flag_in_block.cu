/* A warp that waits for another by reading a flag. */
#include "program.h"

__global__ void relay(int *out) {
  __shared__ volatile int flag, value;
  if (threadIdx.x == 0)
    flag = 0;
  __syncthreads();
  if (threadIdx.x == 32) {
    value = 33;
    __threadfence_block();
    flag = 1;
  }
  if (threadIdx.x == 0) {
    while (flag == 0)
      ;
    out[0] = value;
  }
}
PROGRAM(flag_in_block) {
  int *out = zeros<int>(1);
  relay<<<1, 64>>>(out);
  REQUIRE(download(out, 1)[0] == 33);
}
