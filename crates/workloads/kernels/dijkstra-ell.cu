// Single-source shortest paths by min-plus products with an ELL matrix (every row padded to the longest, stored by
// columns), as Pannotia's sssp_ell: each round copies the vector, multiplies, and looks for a difference.
#include "device.h"

#define FAR 99999999

KERNEL start_at(int* distance, int* next, int source, int nodes) {
  load_parameters(distance, next, source, nodes);
  int node = global_id();
  if (node >= nodes) return;
  if (node == source) {
    distance[node] = 0;
    next[node] = 0;
  } else {
    distance[node] = FAR;
    next[node] = FAR;
  }
}

KERNEL copy(int* distance, const int* next, int nodes) {
  load_parameters(distance, next, nodes);
  int node = global_id();
  if (node < nodes) distance[node] = next[node];
}

KERNEL min_plus(int nodes, int height, const int* col, const int* weight, const int* distance, int* next) {
  load_parameters(nodes, height, col, weight, distance, next);
  int node = global_id();
  if (node >= nodes) return;
  int best = distance[node];
  int entry = node;
  for (int k = 0; k < height; ++k) {
    int length = weight[entry] + distance[col[entry]];
    if (length < best) best = length;
    entry += nodes;
  }
  next[node] = best;
}

KERNEL compare(const int* distance, const int* next, int* changed, int nodes) {
  load_parameters(distance, next, changed, nodes);
  int node = global_id();
  if (node < nodes && next[node] != distance[node]) *changed = 1;
}
