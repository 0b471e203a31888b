/* Pointers to device functions, in a table and as an argument. */
#include "program.h"

typedef int (*Operation)(int, int);
__device__ int add(int a, int b) { return a + b; }
__device__ int multiply(int a, int b) { return a * b; }
__device__ Operation operations[2] = {add, multiply};
__global__ void apply(int which, int *out) { out[threadIdx.x] = operations[which](threadIdx.x, 7); }
PROGRAM(function_pointers) {
  int *out = zeros<int>(32);
  apply<<<1, 32>>>(0, out);
  REQUIRE(download(out, 32)[5] == 12);
  apply<<<1, 32>>>(1, out);
  REQUIRE(download(out, 32)[5] == 35);
}
