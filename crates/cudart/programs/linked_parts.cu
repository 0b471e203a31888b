/* The other half of the linked program. */
#include "check.h"
#include "linked.h"

__device__ Calls calls = {7, 700};
__constant__ int offsets[4];
static __device__ int factor = 3;
static __device__ __noinline__ int scale(int value) { return value * factor; }

__device__ int twice(int value) {
  atomicAdd(&calls.made, 1);
  return 2 * value;
}

__global__ void triple(int *value) { *value = clamp_to(scale(*value), 1000); }

void set_offsets(const int *values) { CHECK(cudaMemcpyToSymbol(offsets, values, sizeof(offsets))); }

int thrice_on_the_device(int value) {
  int *device;
  CHECK(cudaMalloc(&device, sizeof(int)));
  CHECK(cudaMemcpy(device, &value, sizeof(int), cudaMemcpyHostToDevice));
  triple<<<1, 1>>>(device);
  CHECK(cudaMemcpy(&value, device, sizeof(int), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(device));
  return value;
}
