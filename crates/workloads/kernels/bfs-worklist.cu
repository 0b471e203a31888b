// Breadth-first search on a worklist: a thread takes a node of the current frontier, claims unvisited neighbours with
// an atomic and appends them to the next frontier through a queue of its block in shared memory.
#include "device.h"

#define QUEUE 1024

KERNEL bfs_worklist(const int* row, const int* col, int* level, const int* frontier, int count, int* next,
                    int* next_count, int depth) {
  __shared__ int queue[QUEUE];
  __shared__ int queued, base;
  if (threadIdx.x == 0) queued = 0;
  __syncthreads();
  int i = global_id();
  if (i < count) {
    int node = frontier[i];
    for (int edge = row[node]; edge < row[node + 1]; ++edge) {
      int other = col[edge];
      if (level[other] < 0 && atomicCAS(&level[other], -1, depth) == -1) {
        int at = atomicAdd(&queued, 1);
        if (at < QUEUE) queue[at] = other;
        else next[atomicAdd(next_count, 1)] = other;
      }
    }
  }
  __syncthreads();
  int kept = min(queued, QUEUE);
  if (threadIdx.x == 0) base = atomicAdd(next_count, kept);
  __syncthreads();
  for (int j = threadIdx.x; j < kept; j += blockDim.x) next[base + j] = queue[j];
}
