/* Parts of a warp that vote at once: each part hears of its own lanes only. */
#include "program.h"
#include <cooperative_groups.h>

namespace cg = cooperative_groups;
__global__ void vote(const int *in, unsigned *out) {
  cg::thread_block_tile<16> tile = cg::tiled_partition<16>(cg::this_thread_block());
  int value = in[threadIdx.x];
  unsigned mask = 0xffffu << threadIdx.x / 16 * 16;
  unsigned *row = out + threadIdx.x * 6;
  row[0] = tile.ballot(value == 3 || value == 21);
  row[1] = tile.any(value == 3);
  row[2] = tile.all(value < 16);
  row[3] = __ballot_sync(mask, value % 2);
  row[4] = __match_any_sync(mask, value % 4);
  // Which lane has the wanted value? None has in one of the two tiles.
  int found = __ffs(tile.ballot(value == 20)) - 1;
  row[5] = found < 0 ? 99 : tile.shfl(value, found);
}
PROGRAM(groups_votes) {
  unsigned *out = zeros<unsigned>(32 * 6);
  vote<<<1, 32>>>(upload(ramp<int>(32)), out);
  std::vector<unsigned> got = download(out, 32 * 6);
  for (int i = 0; i < 32; i++) {
    unsigned *row = &got[6 * i], shift = i / 16 * 16;
    REQUIRE(row[0] == (i < 16 ? 1u << 3 : 1u << 5) && row[1] == (i < 16) && row[2] == (i < 16));
    REQUIRE(row[3] == 0xaaaau << shift && row[4] == 0x1111u << (i % 4 + shift) && row[5] == (i < 16 ? 99 : 20));
  }
}
