/* Functions of the host in a stream. */
#include "program.h"

__global__ void set(int *data) { *data = 11; }
static void twice(void *data) { *(int *)data *= 2; }
static void told(cudaStream_t, cudaError_t status, void *data) { *(int *)data += status == cudaSuccess ? 1 : 100; }
PROGRAM(host_functions) {
  int *data;
  CHECK(cudaMallocManaged((void **)&data, sizeof(int)));
  set<<<1, 1>>>(data);
  CHECK(cudaLaunchHostFunc(0, twice, data));
  CHECK(cudaStreamAddCallback(0, told, data, 0));
  CHECK(cudaDeviceSynchronize());
  REQUIRE(*data == 23);
}
