/* Cooperative groups: the threads that took a branch. */
#include "program.h"
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void keep(const int *in, int *out, int *count) {
  int value = in[threadIdx.x];
  if (value % 3 == 0) {
    cg::coalesced_group group = cg::coalesced_threads();
    int base;
    if (group.thread_rank() == 0)
      base = atomicAdd(count, (int)group.size());
    base = group.shfl(base, 0);
    out[base + group.thread_rank()] = value;
  }
}
PROGRAM(groups_coalesced) {
  int *out = zeros<int>(32), *count = zeros<int>(1);
  keep<<<1, 32>>>(upload(ramp<int>(32)), out, count);
  REQUIRE(download(count, 1)[0] == 11);
  std::vector<int> got = download(out, 11);
  for (int i = 0; i < 11; i++)
    REQUIRE(got[i] == 3 * i);
}
