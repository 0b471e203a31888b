/* Streams with flags and priorities, and what they tell of themselves. */
#include "program.h"

PROGRAM(streams_flags) {
  int least, greatest, priority;
  unsigned flags;
  CHECK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
  REQUIRE(greatest <= least);
  cudaStream_t stream;
  CHECK(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, greatest));
  CHECK(cudaStreamGetFlags(stream, &flags));
  CHECK(cudaStreamGetPriority(stream, &priority));
  REQUIRE(flags == cudaStreamNonBlocking && priority == greatest);
  CHECK(cudaStreamDestroy(stream));
}
