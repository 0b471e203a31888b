/* A device function that calls itself. */
#include "program.h"

__device__ __noinline__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
__global__ void compute(int *out) { out[threadIdx.x] = fibonacci(threadIdx.x); }
PROGRAM(recursion) {
  int *out = zeros<int>(12);
  compute<<<1, 12>>>(out);
  std::vector<int> got = download(out, 12);
  for (int i = 2; i < 12; i++)
    REQUIRE(got[i] == got[i - 1] + got[i - 2]);
  REQUIRE(got[11] == 89);
}
