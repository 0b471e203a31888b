/* Local memory of a size that is known when the kernel runs. */
#include "program.h"

__global__ void sums(const int *counts, int *out) {
  int count = counts[threadIdx.x];
  int *local = (int *)__builtin_alloca(count * sizeof(int));
  for (int i = 0; i < count; i++)
    local[i] = i + threadIdx.x;
  int sum = 0;
  for (int i = count - 1; i >= 0; i--)
    sum += local[i];
  out[threadIdx.x] = sum;
}
PROGRAM(alloca_kernel) {
  int *out = zeros<int>(32);
  sums<<<1, 32>>>(upload(ramp<int>(32)), out);
  std::vector<int> got = download(out, 32);
  for (int i = 0; i < 32; i++)
    REQUIRE(got[i] == i * (i - 1) / 2 + i * i);
}
