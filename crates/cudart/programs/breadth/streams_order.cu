/* Work in several streams, each in its order. */
#include "program.h"

__global__ void add(int *data, int value) { data[ID] = data[ID] * 2 + value; }
PROGRAM(streams_order) {
  cudaStream_t streams[4];
  int *data = zeros<int>(4 * 64);
  for (int s = 0; s < 4; s++)
    CHECK(cudaStreamCreate(&streams[s]));
  for (int round = 0; round < 3; round++)
    for (int s = 0; s < 4; s++)
      add<<<1, 64, 0, streams[s]>>>(data + 64 * s, s + round);
  for (int s = 0; s < 4; s++) {
    CHECK(cudaStreamSynchronize(streams[s]));
    REQUIRE(cudaStreamQuery(streams[s]) == cudaSuccess);
  }
  std::vector<int> got = download(data, 4 * 64);
  for (int i = 0; i < 4 * 64; i++)
    REQUIRE(got[i] == ((i / 64) * 2 + i / 64 + 1) * 2 + i / 64 + 2);
  for (int s = 0; s < 4; s++)
    CHECK(cudaStreamDestroy(streams[s]));
}
