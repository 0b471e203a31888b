/* Device code in two files: functions, variables and constants of the other one. */
#include "check.h"
#include "linked.h"

/* Named as in the other file, and not the same. */
static __device__ int factor = 10;
static __device__ __noinline__ int scale(int value) { return value * factor; }

__global__ void combine(int *out) {
  int i = threadIdx.x;
  out[i] = clamp_to(twice(i) + scale(i) + offsets[i % 4], calls.limit);
}

int main() {
  int host_offsets[4] = {1, 2, 3, 4}, got[64];
  set_offsets(host_offsets);
  Calls initial;
  CHECK(cudaMemcpyFromSymbol(&initial, calls, sizeof(initial)));
  REQUIRE(initial.made == 7 && initial.limit == 700);
  int *out;
  CHECK(cudaMalloc(&out, sizeof(got)));
  combine<<<1, 64>>>(out);
  CHECK(cudaMemcpy(got, out, sizeof(got), cudaMemcpyDeviceToHost));
  for (int i = 0; i < 64; i++) {
    int expected = 12 * i + host_offsets[i % 4];
    REQUIRE(got[i] == (expected < 700 ? expected : 700));
  }
  REQUIRE(thrice_on_the_device(14) == 42);
  Calls counted;
  CHECK(cudaMemcpyFromSymbol(&counted, calls, sizeof(counted)));
  REQUIRE(counted.made == 7 + 64);
  printf("linked: %d calls of the other file are right\n", counted.made - initial.made);
  return 0;
}
