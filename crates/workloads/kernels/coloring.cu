// Graph colouring as Pannotia's color (max variant): in every round the uncoloured nodes whose value is not below any
// uncoloured neighbour's take the round's colour. Values repeat, so neighbours of equal value get the same colour, as in
// the original.
#include "device.h"

#define NONE -1

KERNEL find_maxima(const int* row, const int* col, const int* value, const int* color, int* is_left, int* largest,
                   int round, int nodes, int edges) {
  load_parameters(row, col, value, color, is_left, largest, round, nodes, edges);
  int node = global_id();
  if (node >= nodes || color[node] != NONE) return;
  int start = row[node];
  int end = node + 1 < nodes ? row[node + 1] : edges;
  int most = -1;
  for (int edge = start; edge < end; ++edge)
    if (color[col[edge]] == NONE && start != end - 1) {
      *is_left = 1;
      if (value[col[edge]] > most) most = value[col[edge]];
    }
  largest[node] = most;
}

KERNEL take_color(const int* value, int* color, const int* largest, int round, int nodes, int edges) {
  load_parameters(value, color, largest, round, nodes, edges);
  int node = global_id();
  if (node >= nodes || color[node] != NONE) return;
  if (value[node] >= largest[node]) color[node] = round;
}
