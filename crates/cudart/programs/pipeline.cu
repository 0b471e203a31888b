/* Streams, events, pinned and managed memory. */
#include "check.h"

struct Node {
  int value;
  Node *next;
};

__global__ void scale(int *data, int factor, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    data[i] *= factor;
}

/* Follows pointers that the host wrote. */
__global__ void sum_list(const Node *node, int *sum) {
  int total = 0;
  for (; node; node = node->next)
    total += node->value;
  *sum = total;
}

static void run_streams() {
  const int streams = 3, count = 4096;
  cudaStream_t stream[streams];
  int *pinned, *device[streams];
  CHECK(cudaMallocHost(&pinned, streams * count * sizeof(int)));
  for (int i = 0; i < streams * count; i++)
    pinned[i] = i;
  cudaEvent_t start, stop, between;
  CHECK(cudaEventCreate(&start));
  CHECK(cudaEventCreate(&stop));
  CHECK(cudaEventCreate(&between));
  CHECK(cudaEventRecord(start));
  for (int s = 0; s < streams; s++) {
    CHECK(cudaStreamCreate(&stream[s]));
    CHECK(cudaMalloc(&device[s], count * sizeof(int)));
    CHECK(cudaMemcpyAsync(device[s], pinned + s * count, count * sizeof(int), cudaMemcpyHostToDevice, stream[s]));
    if (s > 0)
      CHECK(cudaStreamWaitEvent(stream[s], between, 0));
    scale<<<count / 256, 256, 0, stream[s]>>>(device[s], s + 2, count);
    CHECK(cudaGetLastError());
    CHECK(cudaEventRecord(between, stream[s]));
    CHECK(cudaMemcpyAsync(pinned + s * count, device[s], count * sizeof(int), cudaMemcpyDeviceToHost, stream[s]));
  }
  for (int s = 0; s < streams; s++)
    CHECK(cudaStreamSynchronize(stream[s]));
  CHECK(cudaEventRecord(stop));
  CHECK(cudaEventSynchronize(stop));
  for (int i = 0; i < streams * count; i++)
    REQUIRE(pinned[i] == i * (i / count + 2));
  float milliseconds = -1;
  CHECK(cudaEventElapsedTime(&milliseconds, start, stop));
  REQUIRE(milliseconds >= 0 && milliseconds < 10);
  for (int s = 0; s < streams; s++) {
    CHECK(cudaStreamDestroy(stream[s]));
    CHECK(cudaFree(device[s]));
  }
  CHECK(cudaEventDestroy(start));
  CHECK(cudaEventDestroy(stop));
  CHECK(cudaEventDestroy(between));
  CHECK(cudaFreeHost(pinned));
}

static void run_managed() {
  const int count = 100;
  Node *nodes;
  int *sum;
  CHECK(cudaMallocManaged(&nodes, count * sizeof(Node)));
  CHECK(cudaMallocManaged(&sum, sizeof(int)));
  for (int i = 0; i < count; i++) {
    nodes[i].value = i;
    nodes[i].next = i + 1 < count ? &nodes[i + 1] : 0;
  }
  for (int round = 1; round <= 3; round++) {
    sum_list<<<1, 1>>>(nodes, sum);
    CHECK(cudaDeviceSynchronize());
    REQUIRE(*sum == round * 4950);
    for (int i = 0; i < count; i++)
      nodes[i].value += i;
  }
  CHECK(cudaFree(nodes));
  CHECK(cudaFree(sum));
}

int main() {
  run_streams();
  run_managed();
  printf("pipeline: streams, events, pinned and managed memory are right\n");
  return 0;
}
