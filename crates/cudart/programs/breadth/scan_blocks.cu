/* An exclusive scan over several thread blocks. */
#include "program.h"

__global__ void scan(const int *in, int *out, int *totals) {
  __shared__ int data[128];
  int i = threadIdx.x;
  data[i] = in[ID];
  for (int step = 1; step < 128; step *= 2) {
    __syncthreads();
    int value = i >= step ? data[i - step] : 0;
    __syncthreads();
    data[i] += value;
  }
  out[ID] = data[i] - in[ID];
  if (i == 127)
    totals[blockIdx.x] = data[i];
}
__global__ void shift(int *out, const int *totals) {
  int before = 0;
  for (unsigned b = 0; b < blockIdx.x; b++)
    before += totals[b];
  out[ID] += before;
}
PROGRAM(scan_blocks) {
  std::vector<int> host(512);
  for (int i = 0; i < 512; i++)
    host[i] = i % 7;
  int *out = zeros<int>(512), *totals = zeros<int>(4);
  scan<<<4, 128>>>(upload(host), out, totals);
  shift<<<4, 128>>>(out, totals);
  std::vector<int> got = download(out, 512);
  for (int i = 0, sum = 0; i < 512; sum += host[i++])
    REQUIRE(got[i] == sum);
}
