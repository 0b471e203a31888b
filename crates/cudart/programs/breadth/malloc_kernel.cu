/* Memory that kernels allocate, keep and free. */
#include "program.h"

__global__ void make(int **list) {
  int *mine = (int *)malloc(4 * sizeof(int));
  for (int i = 0; i < 4; i++)
    mine[i] = threadIdx.x * 10 + i;
  list[threadIdx.x] = mine;
}
__global__ void use(int **list, int *out) {
  out[threadIdx.x] = list[threadIdx.x][3];
  free(list[threadIdx.x]);
}
PROGRAM(malloc_kernel) {
  int **list = zeros<int *>(64), *out = zeros<int>(64);
  make<<<1, 64>>>(list);
  use<<<1, 64>>>(list, out);
  std::vector<int> got = download(out, 64);
  for (int i = 0; i < 64; i++)
    REQUIRE(got[i] == 10 * i + 3);
}
