/* Cooperative groups: a barrier of the whole grid. */
#include "program.h"
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void rotate(int *data, int rounds) {
  cg::grid_group grid = cg::this_grid();
  unsigned count = grid.size(), at = grid.thread_rank();
  for (int i = 0; i < rounds; i++) {
    int next = data[(at + 1) % count];
    grid.sync();
    data[at] = next;
    grid.sync();
  }
}
PROGRAM(groups_grid) {
  int *data = upload(ramp<int>(256)), rounds = 5;
  void *arguments[] = {&data, &rounds};
  CHECK(cudaLaunchCooperativeKernel((void *)rotate, dim3(4), dim3(64), arguments, 0, 0));
  std::vector<int> got = download(data, 256);
  for (int i = 0; i < 256; i++)
    REQUIRE(got[i] == (i + 5) % 256);
}
