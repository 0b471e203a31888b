/* Votes, matches and masks of lanes. */
#include "program.h"

__global__ void vote(unsigned *out) {
  int lane = threadIdx.x % 32;
  unsigned even = __ballot_sync(~0u, lane % 2 == 0);
  int all = __all_sync(~0u, lane < 32), any = __any_sync(~0u, lane == 40);
  unsigned peers = __match_any_sync(~0u, lane / 8);
  unsigned active = 0;
  if (lane < 5)
    active = __activemask();
  if (lane == 3) {
    out[0] = even;
    out[1] = all;
    out[2] = any;
    out[3] = peers;
    out[4] = active;
    out[5] = __popc(even) + __ffs(peers) + __clz(peers);
  }
}
PROGRAM(votes) {
  unsigned *out = zeros<unsigned>(6);
  vote<<<1, 32>>>(out);
  std::vector<unsigned> got = download(out, 6);
  REQUIRE(got[0] == 0x55555555 && got[1] && !got[2] && got[3] == 0xff && got[4] == 0x1f && got[5] == 16 + 1 + 24);
}
