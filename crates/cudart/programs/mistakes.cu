/* Mistakes, and the errors that a program expects for them. */
#include "check.h"

__global__ void store(int *where, int value) { *where = value; }

__global__ void walk_off(int *data, int count) { data[count * 1000000 + threadIdx.x] = 1; }

static void not_a_kernel() {}

int main() {
  int *data;
  /* The host's mistakes leave the device alone. */
  CHECK(cudaMalloc(&data, 64));
  EXPECT(cudaMemcpy(data, &data, 65, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  EXPECT(cudaGetLastError(), cudaErrorInvalidValue);
  EXPECT(cudaGetLastError(), cudaSuccess);
  EXPECT(cudaFree(data + 1), cudaErrorInvalidValue);
  EXPECT(cudaSetDevice(7), cudaErrorInvalidDevice);
  void *huge;
  EXPECT(cudaMalloc(&huge, (size_t)1 << 60), cudaErrorMemoryAllocation);
  (void)cudaGetLastError();

  /* Launches that no device could run. */
  store<<<1, 2048>>>(data, 1);
  EXPECT(cudaGetLastError(), cudaErrorInvalidConfiguration);
  store<<<0, 32>>>(data, 1);
  EXPECT(cudaGetLastError(), cudaErrorInvalidConfiguration);
  store<<<1, 32, 1 << 24>>>(data, 1);
  EXPECT(cudaGetLastError(), cudaErrorInvalidValue);
  void *arguments[] = {&data};
  EXPECT(cudaLaunchKernel((const void *)not_a_kernel, dim3(1), dim3(1), arguments, 0, 0),
         cudaErrorInvalidDeviceFunction);
  (void)cudaGetLastError();
  store<<<1, 1>>>(data, 7);
  CHECK(cudaDeviceSynchronize());

  /* A kernel's mistake stays: everything after it fails like it. */
  walk_off<<<1, 32>>>(data, 16);
  EXPECT(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
  EXPECT(cudaMemcpy(&huge, data, 8, cudaMemcpyDeviceToHost), cudaErrorIllegalAddress);
  EXPECT(cudaGetLastError(), cudaErrorIllegalAddress);
  printf("mistakes: every mistake has the error that programs expect\n");
  return 0;
}
