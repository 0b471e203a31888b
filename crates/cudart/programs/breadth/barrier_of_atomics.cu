/* Thread blocks that wait for each other at a barrier of their own, in a plain launch: all of them are resident. */
#include "program.h"

__device__ unsigned barrier_arrivals;

__device__ void wait_for_all(unsigned round) {
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    atomicAdd(&barrier_arrivals, 1);
    while (*(volatile unsigned *)&barrier_arrivals < round * gridDim.x)
      ;
  }
  __syncthreads();
}

__global__ void pass_on(int *from, int *to, unsigned rounds) {
  unsigned behind = (ID + 1) % (gridDim.x * blockDim.x);
  for (unsigned round = 1; round <= rounds; round++) {
    to[ID] = *(volatile int *)&from[behind] + 1;
    wait_for_all(round);
    int *kept = from;
    from = to;
    to = kept;
  }
}
PROGRAM(barrier_of_atomics) {
  const unsigned blocks = 12, threads = 64, rounds = 6, count = blocks * threads;
  int *from = upload(ramp<int>(count)), *to = zeros<int>(count);
  pass_on<<<blocks, threads>>>(from, to, rounds);
  CHECK(cudaDeviceSynchronize());
  std::vector<int> got = download(from, count);
  for (unsigned i = 0; i < count; i++)
    REQUIRE(got[i] == int((i + rounds) % count + rounds));
}
