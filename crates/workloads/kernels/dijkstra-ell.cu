// Single-source shortest paths in rounds over an ELL matrix (every row padded to the longest, stored by columns), one
// node a thread pulling from its neighbours, as Pannotia's sssp in ELL.
#include "device.h"

#define FAR (1 << 30)

KERNEL min_plus(const int* col, const int* weight, const int* distance, int* next, int width, int nodes) {
  int node = global_id();
  if (node >= nodes) return;
  int best = distance[node];
  for (int k = 0; k < width; ++k) {
    int other = col[k * nodes + node];
    if (other < 0) break;
    best = min(best, distance[other] + weight[k * nodes + node]);
  }
  next[node] = best;
}

KERNEL compare(const int* distance, const int* next, int* changed, int nodes) {
  int node = global_id();
  if (node < nodes && distance[node] != next[node]) *changed = 1;
}
