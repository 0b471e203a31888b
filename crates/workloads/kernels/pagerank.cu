// PageRank as repeated sparse products, as Pannotia's pagerank_spmv: a thread for each row of the transposed matrix reads
// its entries and their columns one after the other and gathers ranks.
#include "device.h"

KERNEL start_ranks(float* rank, float* gathered, int nodes) {
  load_parameters(rank, gathered, nodes);
  int node = global_id();
  if (node >= nodes) return;
  rank[node] = 1 / (float)nodes;
  gathered[node] = 0.0f;
}

KERNEL fill_matrix(const int* row, const int* col, float* entry, const int* out_degree, int nodes, int edges) {
  load_parameters(row, col, entry, out_degree, nodes, edges);
  int node = global_id();
  if (node >= nodes) return;
  int end = node + 1 < nodes ? row[node + 1] : edges;
  for (int edge = row[node]; edge < end; ++edge) entry[edge] = 1.0 / (float)out_degree[col[edge]];
}

KERNEL gather_ranks(int nodes, const int* row, const int* col, const float* entry, const float* rank, float* gathered) {
  load_parameters(nodes, row, col, entry, rank, gathered);
  int node = global_id();
  if (node >= nodes) return;
  int end = row[node + 1];
  float sum = 0.0f;
  for (int edge = row[node]; edge < end; ++edge) sum += entry[edge] * rank[col[edge]];
  gathered[node] += sum;
}

KERNEL damp(float* rank, float* gathered, int nodes) {
  load_parameters(rank, gathered, nodes);
  int node = global_id();
  if (node >= nodes) return;
  rank[node] = 0.15f / (float)nodes + 0.85f * gathered[node];
  gathered[node] = 0.0f;
}
