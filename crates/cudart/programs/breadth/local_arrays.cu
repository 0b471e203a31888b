/* Arrays of a thread, indexed by a value. */
#include "program.h"

__global__ void compute(const int *in, int *out) {
  int bins[16] = {0};
  for (int i = 0; i < 64; i++)
    bins[(in[i] + threadIdx.x) % 16]++;
  int largest = 0;
  for (int i = 0; i < 16; i++)
    if (bins[i] > bins[largest])
      largest = i;
  out[threadIdx.x] = largest;
}
PROGRAM(local_arrays) {
  std::vector<int> host(64);
  for (int i = 0; i < 64; i++)
    host[i] = i % 5 == 0 ? 9 : i;
  int *out = zeros<int>(16);
  compute<<<1, 16>>>(upload(host), out);
  std::vector<int> got = download(out, 16);
  for (int i = 0; i < 16; i++)
    REQUIRE(got[i] == (9 + i) % 16);
}
