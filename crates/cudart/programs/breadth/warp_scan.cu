/* An inclusive scan by shuffles. */
#include "program.h"

__global__ void scan(int *data) {
  int lane = threadIdx.x % 32, value = data[ID];
  for (int step = 1; step < 32; step *= 2) {
    int other = __shfl_up_sync(~0u, value, step);
    if (lane >= step)
      value += other;
  }
  data[ID] = value;
}
PROGRAM(warp_scan) {
  int *data = upload(std::vector<int>(64, 2));
  scan<<<1, 64>>>(data);
  std::vector<int> got = download(data, 64);
  for (int i = 0; i < 64; i++)
    REQUIRE(got[i] == 2 * (i % 32 + 1));
}
