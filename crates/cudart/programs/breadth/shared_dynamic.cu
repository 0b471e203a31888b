/* Dynamic shared memory that is cut into parts. */
#include "program.h"

__global__ void mix(const int *in, int *out, int count) {
  extern __shared__ char memory[];
  int *values = (int *)memory;
  short *ranks = (short *)(values + count);
  values[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  short rank = 0;
  for (int i = 0; i < count; i++)
    rank += values[i] < values[threadIdx.x];
  ranks[threadIdx.x] = rank;
  __syncthreads();
  out[ranks[threadIdx.x]] = values[threadIdx.x];
}
PROGRAM(shared_dynamic) {
  const int count = 100;
  std::vector<int> host(count);
  for (int i = 0; i < count; i++)
    host[i] = i * 37 % 101;
  int *out = zeros<int>(count);
  mix<<<1, count, count * 6>>>(upload(host), out, count);
  std::vector<int> got = download(out, count);
  for (int i = 1; i < count; i++)
    REQUIRE(got[i - 1] < got[i]);
}
