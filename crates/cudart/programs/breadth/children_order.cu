/* Kernels that launch kernels: children see what their parent wrote, a stream keeps its order, a tail launch comes last. */
#include "program.h"

__global__ void append(int *list, int value) {
  int at = atomicAdd(list, 1);
  list[1 + at] = value;
}
__global__ void doubled(int *values, int *list) {
  values[ID] *= 2;
  if (ID == 0)
    append<<<1, 1>>>(list, 20);
}
__global__ void parent(int *values, int *list) {
  values[ID] = ID;
  __syncthreads();
  if (threadIdx.x == 0) {
    append<<<1, 1, 0, cudaStreamTailLaunch>>>(list, 99);
    cudaStream_t stream;
    cudaEvent_t event;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
    append<<<1, 1, 0, stream>>>(list, 10);
    doubled<<<2, 32, 0, stream>>>(values, list);
    cudaEventRecord(event, stream);
    cudaStreamWaitEvent(stream, event, 0);
    append<<<1, 1, 0, stream>>>(list, 30);
    append<<<1, 1, 0, cudaStreamFireAndForget>>>(list, 0);
    cudaEventDestroy(event);
    cudaStreamDestroy(stream);
    if (cudaGetLastError() != cudaSuccess)
      values[0] = -1;
  }
}
PROGRAM(children_order) {
  int *values = zeros<int>(64), *list = zeros<int>(8);
  parent<<<1, 64>>>(values, list);
  CHECK(cudaDeviceSynchronize());
  std::vector<int> got = download(values, 64), order = download(list, 8);
  for (int i = 0; i < 64; i++)
    REQUIRE(got[i] == 2 * i);
  REQUIRE(order[0] == 5 && order[5] == 99);
  int at[31] = {};
  for (int i = 1; i <= 4; i++)
    at[order[i]] = i;
  REQUIRE(at[0] && at[10] && at[20] && at[30]);
  REQUIRE(at[10] < at[20] && at[20] < at[30]);
}
