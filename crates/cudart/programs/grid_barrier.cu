/* A cooperative launch whose blocks meet at a barrier of the whole grid. */
#include <cooperative_groups.h>

#include "check.h"

namespace cg = cooperative_groups;

/* Each round, every element becomes its right neighbour in a ring. */
__global__ void rotate(int *ring, int count, int rounds) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int round = 0; round < rounds; round++) {
    int neighbour = ring[(i + 1) % count];
    cg::this_grid().sync();
    ring[i] = neighbour;
    cg::this_grid().sync();
  }
}

int main() {
  int count = 640, rounds = 5, host[640], *ring;
  for (int i = 0; i < count; i++)
    host[i] = i;
  CHECK(cudaMalloc(&ring, sizeof(host)));
  CHECK(cudaMemcpy(ring, host, sizeof(host), cudaMemcpyHostToDevice));
  void *arguments[] = {&ring, &count, &rounds};
  CHECK(cudaLaunchCooperativeKernel((const void *)rotate, dim3(count / 64), dim3(64), arguments, 0, 0));
  CHECK(cudaMemcpy(host, ring, sizeof(host), cudaMemcpyDeviceToHost));
  for (int i = 0; i < count; i++)
    REQUIRE(host[i] == (i + rounds) % count);
  EXPECT(cudaLaunchCooperativeKernel((const void *)rotate, dim3(10000), dim3(64), arguments, 0, 0),
         cudaErrorCooperativeLaunchTooLarge);
  printf("grid_barrier: all blocks have met %d times\n", 2 * rounds);
  return 0;
}
