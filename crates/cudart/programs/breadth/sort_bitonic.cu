/* A bitonic sort in shared memory. */
#include "program.h"

__global__ void sort(int *data, int count) {
  extern __shared__ int shared[];
  int i = threadIdx.x;
  shared[i] = data[i];
  for (int size = 2; size <= count; size *= 2)
    for (int step = size / 2; step > 0; step /= 2) {
      __syncthreads();
      int other = i ^ step;
      if (other > i && (shared[i] > shared[other]) == ((i & size) == 0)) {
        int t = shared[i];
        shared[i] = shared[other];
        shared[other] = t;
      }
    }
  __syncthreads();
  data[i] = shared[i];
}
PROGRAM(sort_bitonic) {
  std::vector<int> host(256);
  for (int i = 0; i < 256; i++)
    host[i] = i * 7919 % 1009;
  int *data = upload(host);
  sort<<<1, 256, 256 * sizeof(int)>>>(data, 256);
  std::vector<int> got = download(data, 256);
  for (int i = 1; i < 256; i++)
    REQUIRE(got[i - 1] <= got[i]);
}
