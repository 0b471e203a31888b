/* A lock in global memory that warps wait for. */
#include "program.h"

__device__ int lock = 0;
__global__ void add(int *sum) {
  if (threadIdx.x % 32 == 0) {
    while (atomicCAS(&lock, 0, 1) != 0)
      ;
    __threadfence();
    *(volatile int *)sum = *(volatile int *)sum + 1;
    __threadfence();
    atomicExch(&lock, 0);
  }
}
PROGRAM(spin_lock) {
  int *sum = zeros<int>(1);
  add<<<4, 128>>>(sum);
  REQUIRE(download(sum, 1)[0] == 16);
}
