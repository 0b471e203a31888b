// Maximal independent set (Luby): nodes with the smallest random value among undecided neighbours join, and their
// neighbours leave, round after round, as Pannotia's mis.
#include "device.h"

#define UNDECIDED 0
#define JOINED 1
#define LEFT 2

KERNEL find_minima(const int* row, const int* col, const float* value, const int* state, float* least, int* is_left,
                   int nodes) {
  int node = global_id();
  if (node >= nodes || state[node] != UNDECIDED) return;
  *is_left = 1;
  float smallest = 2.0f;
  for (int edge = row[node]; edge < row[node + 1]; ++edge) {
    int other = col[edge];
    if (state[other] == UNDECIDED) smallest = fminf(smallest, value[other]);
  }
  least[node] = smallest;
}

KERNEL join(const float* value, const float* least, const int* state, int* next, int nodes) {
  int node = global_id();
  if (node < nodes && state[node] == UNDECIDED && value[node] < least[node]) next[node] = JOINED;
}

KERNEL leave(const int* row, const int* col, int* state, int* next, int nodes) {
  int node = global_id();
  if (node >= nodes || next[node] != UNDECIDED) return;
  for (int edge = row[node]; edge < row[node + 1]; ++edge)
    if (next[col[edge]] == JOINED) {
      state[node] = LEFT;
      return;
    }
}

KERNEL settle(int* state, int* next, int nodes) {
  int node = global_id();
  if (node >= nodes) return;
  if (next[node] == JOINED) state[node] = JOINED;
  else next[node] = state[node];
}
