/* Atomics in shared and global memory, and printf in a kernel. */
#include "check.h"

#define BINS 16

__global__ void histogram(const int *data, int *bins, int count) {
  __shared__ int local[BINS];
  if (threadIdx.x < BINS)
    local[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
    atomicAdd(&local[data[i] % BINS], 1);
  __syncthreads();
  if (threadIdx.x < BINS)
    atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
}

__global__ void report(const int *bins, float scale) {
  if (threadIdx.x % 8 == 0)
    printf("bin %d has %d, scaled %.2f, named %s\n", threadIdx.x, bins[threadIdx.x], bins[threadIdx.x] * scale, "bin");
}

int main() {
  const int count = 10000;
  int host[count], got[BINS], expected[BINS] = {0};
  for (int i = 0; i < count; i++) {
    host[i] = i * 7 % 1001;
    expected[host[i] % BINS]++;
  }
  int *data, *bins;
  CHECK(cudaMalloc(&data, sizeof(host)));
  CHECK(cudaMalloc(&bins, sizeof(got)));
  CHECK(cudaMemcpy(data, host, sizeof(host), cudaMemcpyHostToDevice));
  CHECK(cudaMemset(bins, 0, sizeof(got)));
  histogram<<<8, 128>>>(data, bins, count);
  CHECK(cudaMemcpy(got, bins, sizeof(got), cudaMemcpyDeviceToHost));
  for (int i = 0; i < BINS; i++)
    REQUIRE(got[i] == expected[i]);
  printf("before the kernel\n");
  report<<<1, BINS>>>(bins, 0.5f);
  CHECK(cudaDeviceSynchronize());
  printf("histogram: %d numbers are counted right\n", count);
  return 0;
}
