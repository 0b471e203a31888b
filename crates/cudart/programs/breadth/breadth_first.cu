/* A search level by level until nothing changes. */
#include "program.h"

__global__ void level(const int *starts, const int *ends, int *depth, int now, int *changed, int count) {
  int node = ID;
  if (node >= count || depth[node] != now)
    return;
  for (int e = starts[node]; e < starts[node + 1]; e++)
    if (depth[ends[e]] < 0) {
      depth[ends[e]] = now + 1;
      *changed = 1;
    }
}
PROGRAM(breadth_first) {
  const int count = 64;
  std::vector<int> starts, ends, depth(count, -1);
  for (int i = 0; i < count; i++) {
    starts.push_back((int)ends.size());
    if (2 * i + 1 < count)
      ends.push_back(2 * i + 1);
    if (2 * i + 2 < count)
      ends.push_back(2 * i + 2);
  }
  starts.push_back((int)ends.size());
  depth[0] = 0;
  int *s = upload(starts), *e = upload(ends), *d = upload(depth), *changed = zeros<int>(1), more = 1;
  for (int now = 0; more; now++) {
    CHECK(cudaMemset(changed, 0, sizeof(int)));
    level<<<1, 64>>>(s, e, d, now, changed, count);
    CHECK(cudaMemcpy(&more, changed, sizeof(int), cudaMemcpyDeviceToHost));
  }
  std::vector<int> got = download(d, count);
  REQUIRE(got[0] == 0 && got[2] == 1 && got[6] == 2 && got[62] == 5 && got[63] == 6);
}
