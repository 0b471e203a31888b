// All-pairs shortest paths as Pannotia's fw: one launch for each intermediate node, one pair a thread. The x index is the
// row, so the threads of a warp read a column of the matrix: one line each. A second matrix keeps the last detour.
#include "device.h"

KERNEL floyd_warshall(int* distance, int* next, int nodes, int via) {
  load_parameters(distance, next, nodes, via);
  int from = blockIdx.x * blockDim.x + threadIdx.x;
  int to = blockIdx.y * blockDim.y + threadIdx.y;
  if (from >= nodes || to >= nodes) return;
  int detour = distance[from * nodes + via] + distance[via * nodes + to];
  if (detour < distance[from * nodes + to]) {
    distance[from * nodes + to] = detour;
    next[from * nodes + to] = via;
  }
}
