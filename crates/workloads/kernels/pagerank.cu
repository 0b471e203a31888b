// PageRank as repeated sparse products over incoming edges, one node a thread, as Pannotia's pagerank_spmv.
#include "device.h"

KERNEL spread(const float* rank, const int* out_degree, float* share, int nodes) {
  int node = global_id();
  if (node < nodes) share[node] = out_degree[node] ? rank[node] / out_degree[node] : 0.0f;
}

KERNEL gather_ranks(const int* row, const int* col, const float* share, float* next, float damping, int nodes) {
  int node = global_id();
  if (node >= nodes) return;
  float sum = 0.0f;
  for (int edge = row[node]; edge < row[node + 1]; ++edge) sum += share[col[edge]];
  next[node] = (1.0f - damping) / nodes + damping * sum;
}
