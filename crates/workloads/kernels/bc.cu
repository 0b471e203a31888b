// Betweenness centrality (Brandes) as Pannotia's bc: a forward search from a source counts shortest paths with atomics,
// a backward sweep over the transposed graph adds up dependencies with atomics, one launch for each level.
#include "device.h"

KERNEL clear_centrality(float* centrality, int nodes) {
  load_parameters(centrality, nodes);
  int node = global_id();
  if (node < nodes) centrality[node] = 0.0f;
}

KERNEL start_at(int source, int* level, float* dependency, float* paths, int nodes) {
  load_parameters(source, level, dependency, paths, nodes);
  int node = global_id();
  if (node >= nodes) return;
  dependency[node] = 0.0f;
  if (node == source) {
    paths[node] = 1.0f;
    level[node] = 0;
  } else {
    paths[node] = 0.0f;
    level[node] = -1;
  }
}

KERNEL search(const int* row, const int* col, int* level, float* paths, int* is_active, int nodes, int edges, int depth) {
  load_parameters(row, col, level, paths, is_active, nodes, edges, depth);
  int node = global_id();
  if (node >= nodes || level[node] != depth) return;
  int end = node + 1 < nodes ? row[node + 1] : edges;
  for (int edge = row[node]; edge < end; ++edge) {
    int other = col[edge];
    if (level[other] < 0) {
      *is_active = 1;
      level[other] = depth + 1;
    }
    if (level[other] == depth + 1) atomicAdd(&paths[other], paths[node]);
  }
}

// `row` and `col` are those of the transposed graph; `depth` is one past the level that is swept.
KERNEL sweep(const int* row, const int* col, const int* level, const float* paths, float* dependency, int nodes,
             int edges, int depth, int source, float* centrality) {
  load_parameters(row, col, level, paths, dependency, nodes, edges, depth, source, centrality);
  int node = global_id();
  if (node >= nodes || level[node] != depth - 1) return;
  int end = node + 1 < nodes ? row[node + 1] : edges;
  for (int edge = row[node]; edge < end; ++edge) {
    int before = col[edge];
    if (level[before] == depth - 2)
      atomicAdd(&dependency[before], paths[before] / paths[node] * (1.0f + dependency[node]));
  }
  if (node != source) centrality[node] = centrality[node] + dependency[node];
}
