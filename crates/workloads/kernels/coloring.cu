// Graph colouring by local maxima: in every round the uncoloured nodes whose random value is the largest among their
// uncoloured neighbours take the round's colour, as Pannotia's color.
#include "device.h"

KERNEL find_maxima(const int* row, const int* col, const int* value, const int* color, int* largest, int* is_left,
                   int nodes) {
  int node = global_id();
  if (node >= nodes || color[node] >= 0) return;
  *is_left = 1;
  int most = -1;
  for (int edge = row[node]; edge < row[node + 1]; ++edge) {
    int other = col[edge];
    if (color[other] < 0) most = max(most, value[other]);
  }
  largest[node] = most;
}

KERNEL take_color(const int* value, const int* largest, int* color, int round, int nodes) {
  int node = global_id();
  if (node < nodes && color[node] < 0 && value[node] > largest[node]) color[node] = round;
}
