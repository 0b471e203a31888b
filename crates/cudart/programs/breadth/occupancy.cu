/* How large a thread block should be. */
#include "program.h"

__global__ void work(float *data) { data[ID] += 1; }
PROGRAM(occupancy) {
  int blocks, least, size;
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, work, 128, 0));
  REQUIRE(blocks >= 1);
  CHECK(cudaOccupancyMaxPotentialBlockSize(&least, &size, work, 0, 0));
  REQUIRE(least >= 1 && size >= 32 && size <= 1024);
  cudaFuncAttributes attributes;
  CHECK(cudaFuncGetAttributes(&attributes, work));
  REQUIRE(attributes.numRegs > 0 && attributes.maxThreadsPerBlock > 0);
  CHECK(cudaFuncSetCacheConfig(work, cudaFuncCachePreferL1));
}
