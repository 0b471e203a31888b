// All-pairs shortest paths: one launch an intermediate node, one pair a thread.
#include "device.h"

KERNEL floyd_warshall(int* distance, int nodes, int via) {
  int to = blockIdx.x * blockDim.x + threadIdx.x, from = blockIdx.y * blockDim.y + threadIdx.y;
  if (to >= nodes || from >= nodes) return;
  int detour = distance[from * nodes + via] + distance[via * nodes + to];
  if (detour < distance[from * nodes + to]) distance[from * nodes + to] = detour;
}
