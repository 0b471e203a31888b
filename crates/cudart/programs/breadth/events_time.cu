/* Events measure time that passes, so that programs can divide by it. */
#include "program.h"

__global__ void work(float *data, int rounds) {
  float x = data[ID];
  for (int i = 0; i < rounds; i++)
    x = x * 0.5f + 1.0f;
  data[ID] = x;
}
PROGRAM(events_time) {
  cudaEvent_t start, middle, end;
  CHECK(cudaEventCreate(&start));
  CHECK(cudaEventCreateWithFlags(&middle, cudaEventDefault));
  CHECK(cudaEventCreate(&end));
  float *data = zeros<float>(256), first, both;
  CHECK(cudaEventRecord(start));
  work<<<1, 256>>>(data, 100);
  CHECK(cudaEventRecord(middle, 0));
  work<<<1, 256>>>(data, 1000);
  CHECK(cudaEventRecord(end));
  CHECK(cudaEventSynchronize(end));
  REQUIRE(cudaEventQuery(middle) == cudaSuccess);
  CHECK(cudaEventElapsedTime(&first, start, middle));
  CHECK(cudaEventElapsedTime(&both, start, end));
  REQUIRE(first > 0 && both > first);
  CHECK(cudaEventDestroy(start));
}
