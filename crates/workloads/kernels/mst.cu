// Minimum spanning tree (Borůvka), as LonestarGPU: every component finds its cheapest outgoing edge, components join
// along them, and labels are compressed, round after round.
#include "device.h"

#define NONE 0x7fffffff

// The cheapest edge of a component: smallest weight, then smallest edge number (edges are undirected, so both
// directions carry the same number).
KERNEL find_cheapest(const int* row, const int* col, const int* weight, const int* number, const int* component,
                     int* cheapest_weight, int nodes) {
  int node = global_id();
  if (node >= nodes) return;
  int mine = component[node], best = NONE;
  for (int edge = row[node]; edge < row[node + 1]; ++edge)
    if (component[col[edge]] != mine) best = min(best, weight[edge]);
  if (best != NONE) atomicMin(&cheapest_weight[mine], best);
}

KERNEL find_number(const int* row, const int* col, const int* weight, const int* number, const int* component,
                   const int* cheapest_weight, int* cheapest_number, int nodes) {
  int node = global_id();
  if (node >= nodes) return;
  int mine = component[node], best = NONE;
  for (int edge = row[node]; edge < row[node + 1]; ++edge)
    if (component[col[edge]] != mine && weight[edge] == cheapest_weight[mine]) best = min(best, number[edge]);
  if (best != NONE) atomicMin(&cheapest_number[mine], best);
}

// The component's edge points to the other component; of two that chose the same edge the smaller label is the root.
KERNEL connect(const int* tail, const int* head, const int* component, const int* cheapest_number, int* parent,
               int* in_tree, int* is_changed, int nodes) {
  int label = global_id();
  if (label >= nodes || component[label] != label) return;
  int edge = cheapest_number[label];
  if (edge == NONE) return;
  int a = component[tail[edge]], b = component[head[edge]], other = a == label ? b : a;
  in_tree[edge] = 1;
  *is_changed = 1;
  if (cheapest_number[other] == edge && label < other) return;
  parent[label] = other;
}

KERNEL compress(int* component, const int* parent, int nodes) {
  int node = global_id();
  if (node >= nodes) return;
  int label = component[node];
  while (parent[label] != label) label = parent[label];
  component[node] = label;
}
