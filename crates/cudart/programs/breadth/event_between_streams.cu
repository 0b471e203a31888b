/* A stream waits for an event of another. */
#include "program.h"

__global__ void set(int *data, int value) { data[threadIdx.x] = value; }
__global__ void twice(const int *from, int *to) { to[threadIdx.x] = 2 * from[threadIdx.x]; }
PROGRAM(event_between_streams) {
  cudaStream_t a, b;
  cudaEvent_t ready;
  CHECK(cudaStreamCreate(&a));
  CHECK(cudaStreamCreate(&b));
  CHECK(cudaEventCreateWithFlags(&ready, cudaEventDisableTiming));
  int *from = zeros<int>(32), *to = zeros<int>(32);
  set<<<1, 32, 0, a>>>(from, 21);
  CHECK(cudaEventRecord(ready, a));
  CHECK(cudaStreamWaitEvent(b, ready, 0));
  twice<<<1, 32, 0, b>>>(from, to);
  CHECK(cudaDeviceSynchronize());
  for (int value : download(to, 32))
    REQUIRE(value == 42);
}
