/* Tells how many registers a kernel has: those of the machine code beside the PTX, where there is some. */
#include "check.h"

__global__ void polynomial(const float *in, float *out, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count)
    return;
  float sums[8];
  for (int term = 0; term < 8; term++)
    sums[term] = in[(i + term) % count];
  for (int round = 0; round < 5; round++)
    for (int term = 0; term < 8; term++)
      sums[term] = sums[term] * sums[(term + 1) % 8] + in[i];
  float sum = 0;
  for (int term = 0; term < 8; term++)
    sum += sums[term];
  out[i] = sum;
}

int main() {
  cudaFuncAttributes attributes;
  CHECK(cudaFuncGetAttributes(&attributes, polynomial));
  REQUIRE(attributes.numRegs > 0);
  printf("registers: %d\n", attributes.numRegs);
  return 0;
}
