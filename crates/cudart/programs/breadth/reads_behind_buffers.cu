/* Kernels that read a little behind a buffer, and write there what no kernel reads: GPUs map memory in large pages. */
#include "program.h"

__global__ void differences(const int *values, int *out, int *marks, int count) {
  int next = values[ID + 1];
  if (ID + 1 < count)
    out[ID] = next - values[ID];
  marks[ID + 1] = next;
}
PROGRAM(reads_behind_buffers) {
  std::vector<int> values(120);
  for (int i = 0; i < 120; i++)
    values[i] = i * i;
  int *device = upload(values), *out = zeros<int>(120), *marks = zeros<int>(120);
  differences<<<1, 120>>>(device, out, marks, 120);
  CHECK(cudaDeviceSynchronize());
  std::vector<int> got = download(out, 120);
  for (int i = 0; i < 119; i++)
    REQUIRE(got[i] == 2 * i + 1);
  REQUIRE(got[119] == 0 && download(device, 120) == values);
}
