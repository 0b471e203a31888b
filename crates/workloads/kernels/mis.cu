// Maximal independent set (Luby) as Pannotia's mis: undecided nodes whose value is not above any undecided neighbour's
// join the set and mark their neighbours, round after round. Values repeat, so neighbours of equal value both join, as in
// the original.
#include "device.h"

#define UNDECIDED -1
#define DECIDED -2
#define MEMBER 2
#define FAR 99999999

KERNEL start(int* member, int* state, int* mark, int nodes, int edges) {
  load_parameters(member, state, mark, nodes, edges);
  int node = global_id();
  if (node >= nodes) return;
  state[node] = UNDECIDED;
  mark[node] = UNDECIDED;
  member[node] = 0;
}

KERNEL find_minima(const int* row, const int* col, const int* value, const int* state, int* least, int* is_left,
                   int nodes, int edges) {
  load_parameters(row, col, value, state, least, is_left, nodes, edges);
  int node = global_id();
  if (node >= nodes || state[node] != UNDECIDED) return;
  *is_left = 1;
  int end = node + 1 < nodes ? row[node + 1] : edges;
  int smallest = FAR;
  for (int edge = row[node]; edge < end; ++edge)
    if (state[col[edge]] == UNDECIDED)
      if (value[col[edge]] < smallest) smallest = value[col[edge]];
  least[node] = smallest;
}

KERNEL join(const int* row, const int* col, const int* value, int* member, int* state, int* mark, const int* least,
            int nodes, int edges) {
  load_parameters(row, col, value, member, state, mark, least, nodes, edges);
  int node = global_id();
  if (node >= nodes) return;
  if (value[node] <= least[node] && state[node] == UNDECIDED) {
    member[node] = MEMBER;
    int end = node + 1 < nodes ? row[node + 1] : edges;
    state[node] = DECIDED;
    for (int edge = row[node]; edge < end; ++edge)
      if (state[col[edge]] == UNDECIDED) mark[col[edge]] = DECIDED;
  }
}

KERNEL settle(const int* mark, int* state, int nodes) {
  load_parameters(mark, state, nodes);
  int node = global_id();
  if (node < nodes && mark[node] == DECIDED) state[node] = mark[node];
}
