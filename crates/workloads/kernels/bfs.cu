// Level-synchronous breadth-first search with a boolean frontier: two kernels a level, as Rodinia's bfs has them.
#include "device.h"

// Every node of the frontier marks its unvisited neighbours.
KERNEL bfs_expand(const int* row, const int* col, uchar* frontier, uchar* updating, const uchar* visited, int* cost,
                  int nodes) {
  int node = global_id();
  if (node >= nodes || !frontier[node]) return;
  frontier[node] = 0;
  for (int edge = row[node]; edge < row[node + 1]; ++edge) {
    int other = col[edge];
    if (!visited[other]) {
      cost[other] = cost[node] + 1;
      updating[other] = 1;
    }
  }
}

// The marked nodes become the next frontier.
KERNEL bfs_advance(uchar* frontier, uchar* updating, uchar* visited, int* is_active, int nodes) {
  int node = global_id();
  if (node >= nodes || !updating[node]) return;
  frontier[node] = 1;
  visited[node] = 1;
  *is_active = 1;
  updating[node] = 0;
}
