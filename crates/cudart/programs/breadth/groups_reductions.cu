/* Cooperative groups: reductions, scans, groups by label and by predicate, copies of a group. */
#include "program.h"
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

namespace cg = cooperative_groups;
__global__ void compute(const int *in, int *out) {
  __shared__ int copied[64];
  cg::thread_block block = cg::this_thread_block();
  cg::memcpy_async(block, copied, in, 64 * sizeof(int));
  cg::wait(block);
  cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
  int value = copied[block.thread_rank()];
  int *row = out + block.thread_rank() * 6;
  row[0] = cg::reduce(warp, value, cg::plus<int>());
  row[1] = cg::reduce(warp, value, cg::greater<int>());
  row[2] = cg::inclusive_scan(warp, value);
  row[3] = cg::exclusive_scan(warp, value, cg::plus<int>());
  cg::coalesced_group label = cg::labeled_partition(warp, value % 3);
  row[4] = cg::reduce(label, value, cg::plus<int>()) + 1000 * label.size();
  cg::coalesced_group side = cg::binary_partition(warp, value % 2 == 1);
  row[5] = side.size() * 100 + side.thread_rank();
}
PROGRAM(groups_reductions) {
  int *out = zeros<int>(64 * 6);
  compute<<<1, 64>>>(upload(ramp<int>(64)), out);
  std::vector<int> got = download(out, 64 * 6);
  for (int i = 0; i < 64; i++) {
    int first = i / 32 * 32, sum = 0, before = 0, labelled = 0, members = 0;
    for (int j = first; j < first + 32; j++) {
      sum += j;
      before += j < i ? j : 0;
      labelled += j % 3 == i % 3 ? j : 0;
      members += j % 3 == i % 3;
    }
    int *row = &got[6 * i];
    REQUIRE(row[0] == sum && row[1] == first + 31 && row[2] == before + i && row[3] == before);
    REQUIRE(row[4] == labelled + 1000 * members && row[5] == 1600 + i % 32 / 2);
  }
}
