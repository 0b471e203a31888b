/* A vector add with every error checked: the first program that everybody writes. */
#include "check.h"

__global__ void add(const float *a, const float *b, float *sum, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    sum[i] = a[i] + b[i];
}

int main() {
  const int count = 5000;
  float *host = (float *)malloc(count * sizeof(float));
  float *a, *b, *sum;
  CHECK(cudaMalloc(&a, count * sizeof(float)));
  CHECK(cudaMalloc(&b, count * sizeof(float)));
  CHECK(cudaMalloc(&sum, count * sizeof(float)));
  for (int i = 0; i < count; i++)
    host[i] = (float)i;
  CHECK(cudaMemcpy(a, host, count * sizeof(float), cudaMemcpyHostToDevice));
  for (int i = 0; i < count; i++)
    host[i] = 3.0f * i;
  CHECK(cudaMemcpy(b, host, count * sizeof(float), cudaMemcpyHostToDevice));

  add<<<(count + 255) / 256, 256>>>(a, b, sum, count);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());

  CHECK(cudaMemcpy(host, sum, count * sizeof(float), cudaMemcpyDeviceToHost));
  for (int i = 0; i < count; i++)
    REQUIRE(host[i] == 4.0f * i);

  cudaDeviceProp properties;
  CHECK(cudaGetDeviceProperties(&properties, 0));
  REQUIRE(properties.warpSize == 32 && properties.multiProcessorCount > 0 && properties.maxThreadsPerBlock == 1024);
  CHECK(cudaFree(a));
  CHECK(cudaFree(b));
  CHECK(cudaFree(sum));
  free(host);
  printf("vector_add: %d sums are right on %s\n", count, properties.name);
  return 0;
}
