/* Cooperative groups: tiles of a thread block and their reductions. */
#include "program.h"
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void sum(const int *in, int *out) {
  cg::thread_block block = cg::this_thread_block();
  cg::thread_block_tile<8> tile = cg::tiled_partition<8>(block);
  int value = in[block.thread_rank()];
  for (int step = tile.size() / 2; step > 0; step /= 2)
    value += tile.shfl_down(value, step);
  if (tile.thread_rank() == 0)
    out[block.thread_rank() / 8] = value;
  block.sync();
}
PROGRAM(groups_tiles) {
  int *out = zeros<int>(8);
  sum<<<1, 64>>>(upload(ramp<int>(64)), out);
  std::vector<int> got = download(out, 8);
  for (int i = 0; i < 8; i++)
    REQUIRE(got[i] == 64 * i + 28);
}
