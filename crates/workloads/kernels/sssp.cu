// Single-source shortest paths on a worklist, as LonestarGPU: relax the edges of the nodes on the list with atomicMin
// and put every node that improved on the next list, once a round.
#include "device.h"

KERNEL relax(const int* row, const int* col, const int* weight, int* distance, const int* list, int count, int* next,
             int* next_count, int* queued_in, int round) {
  int i = global_id();
  if (i >= count) return;
  int node = list[i], here = distance[node];
  for (int edge = row[node]; edge < row[node + 1]; ++edge) {
    int other = col[edge], way = here + weight[edge];
    if (way < distance[other] && way < atomicMin(&distance[other], way))
      if (atomicExch(&queued_in[other], round) != round) next[atomicAdd(next_count, 1)] = other;
  }
}
