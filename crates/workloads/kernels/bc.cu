// Betweenness centrality (Brandes): a forward search from a source counts shortest paths, a backward sweep gathers the
// dependencies, level by level, as Pannotia's bc.
#include "device.h"

KERNEL bc_forward(const int* row, const int* col, int* level, float* paths, int* is_active, int depth, int nodes) {
  int node = global_id();
  if (node >= nodes || level[node] != depth) return;
  for (int edge = row[node]; edge < row[node + 1]; ++edge) {
    int other = col[edge];
    if (level[other] < 0) {
      level[other] = depth + 1;
      *is_active = 1;
    }
    if (level[other] == depth + 1) atomicAdd(&paths[other], paths[node]);
  }
}

KERNEL bc_backward(const int* row, const int* col, const int* level, const float* paths, float* dependency, int depth,
                   int nodes) {
  int node = global_id();
  if (node >= nodes || level[node] != depth) return;
  float sum = 0.0f;
  for (int edge = row[node]; edge < row[node + 1]; ++edge) {
    int other = col[edge];
    if (level[other] == depth + 1) sum += paths[node] / paths[other] * (1.0f + dependency[other]);
  }
  dependency[node] = sum;
}

KERNEL bc_accumulate(const float* dependency, float* centrality, int source, int nodes) {
  int node = global_id();
  if (node < nodes && node != source) centrality[node] += dependency[node];
}
