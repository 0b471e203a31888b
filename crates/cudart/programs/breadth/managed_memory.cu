/* Managed memory that host and kernels use in turn. */
#include "program.h"

struct Node {
  int value;
  Node *next;
};
__global__ void walk(Node *node, int *sum) {
  for (; node; node = node->next) {
    *sum += node->value;
    node->value = -node->value;
  }
}
PROGRAM(managed_memory) {
  Node *nodes;
  int *sum;
  CHECK(cudaMallocManaged((void **)&nodes, 10 * sizeof(Node)));
  CHECK(cudaMallocManaged((void **)&sum, sizeof(int)));
  for (int i = 0; i < 10; i++) {
    nodes[i].value = i;
    nodes[i].next = i < 9 ? &nodes[i + 1] : NULL;
  }
  *sum = 0;
  walk<<<1, 1>>>(nodes, sum);
  CHECK(cudaDeviceSynchronize());
  REQUIRE(*sum == 45 && nodes[4].value == -4);
  CHECK(cudaFree(nodes));
}
