/* A kernel that writes outside, and what the host hears of it. */
#include "program.h"

__global__ void write(int *data) { data[1 << 24] = 1; }
PROGRAM(illegal_address) {
  int *data = zeros<int>(4);
  write<<<1, 1>>>(data);
  EXPECT(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
  EXPECT(cudaMemset(data, 0, 4), cudaErrorIllegalAddress);
}
