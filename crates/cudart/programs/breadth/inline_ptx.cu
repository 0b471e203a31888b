/* Instructions of PTX in C. */
#include "program.h"

__global__ void compute(int *out) {
  int lane, sum;
  asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane));
  asm("{ .reg .s32 t; add.s32 t, %1, %2; mul.lo.s32 %0, t, 3; }" : "=r"(sum) : "r"(lane), "r"(5));
  out[threadIdx.x] = sum;
}
PROGRAM(inline_ptx) {
  int *out = zeros<int>(32);
  compute<<<1, 32>>>(out);
  REQUIRE(download(out, 32)[7] == 36);
}
