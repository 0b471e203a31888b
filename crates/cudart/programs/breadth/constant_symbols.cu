/* Constants and device variables, copied by symbol. */
#include "program.h"

__constant__ float weights[8];
__device__ int counter = 5;
__device__ int table[4] = {1, 2, 3, 4};
__global__ void use(float *out) {
  out[threadIdx.x] = weights[threadIdx.x % 8] + table[threadIdx.x % 4];
  if (threadIdx.x == 0)
    counter += 10;
}
PROGRAM(constant_symbols) {
  std::vector<float> host = ramp<float>(8, 0.5f);
  CHECK(cudaMemcpyToSymbol(weights, host.data(), 8 * sizeof(float)));
  float third = 100;
  CHECK(cudaMemcpyToSymbol(weights, &third, sizeof(float), 2 * sizeof(float)));
  float *out = zeros<float>(32);
  use<<<1, 32>>>(out);
  std::vector<float> got = download(out, 32);
  for (int i = 0; i < 32; i++)
    REQUIRE(got[i] == (i % 8 == 2 ? 100 : 0.5f + i % 8) + 1 + i % 4);
  int count;
  CHECK(cudaMemcpyFromSymbol(&count, counter, sizeof(int)));
  REQUIRE(count == 15);
  void *address;
  size_t bytes;
  CHECK(cudaGetSymbolAddress(&address, table));
  CHECK(cudaGetSymbolSize(&bytes, table));
  REQUIRE(bytes == 16 && download((int *)address, 4)[3] == 4);
}
