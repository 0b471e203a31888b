/* Copies in streams from and to pinned memory, with fills. */
#include "program.h"

__global__ void square(int *data) { data[ID] *= data[ID]; }
PROGRAM(asynchronous_copies) {
  int *host, *device;
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaMallocHost((void **)&host, 128 * sizeof(int)));
  CHECK(cudaMallocAsync((void **)&device, 128 * sizeof(int), stream));
  for (int i = 0; i < 128; i++)
    host[i] = i;
  CHECK(cudaMemsetAsync(device, 1, 128 * sizeof(int), stream));
  CHECK(cudaMemcpyAsync(device, host, 64 * sizeof(int), cudaMemcpyHostToDevice, stream));
  square<<<1, 64, 0, stream>>>(device);
  CHECK(cudaMemcpyAsync(host, device, 128 * sizeof(int), cudaMemcpyDeviceToHost, stream));
  CHECK(cudaStreamSynchronize(stream));
  REQUIRE(host[9] == 81 && host[100] == 0x01010101);
  CHECK(cudaFreeAsync(device, stream));
}
