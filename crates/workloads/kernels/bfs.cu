// Level-synchronous breadth-first search with a boolean frontier: two kernels a level, a thread per node, as Rodinia's
// bfs has them.
#include "device.h"

struct Node {
  int first_edge, edges;
};

// Every node of the frontier marks its unvisited neighbours.
KERNEL bfs_expand(const Node* nodes, const int* edges, uchar* frontier, uchar* updating, uchar* visited, int* cost,
                  int count) {
  load_parameters(nodes, edges, frontier, updating, visited, cost, count);
  int node = global_id();
  if (node >= count || !frontier[node]) return;
  frontier[node] = 0;
  for (int edge = nodes[node].first_edge; edge < nodes[node].edges + nodes[node].first_edge; ++edge) {
    int other = edges[edge];
    if (!visited[other]) {
      cost[other] = cost[node] + 1;
      updating[other] = 1;
    }
  }
}

// The marked nodes become the next frontier.
KERNEL bfs_advance(uchar* frontier, uchar* updating, uchar* visited, uchar* is_active, int count) {
  load_parameters(frontier, updating, visited, is_active, count);
  int node = global_id();
  if (node >= count || !updating[node]) return;
  frontier[node] = 1;
  visited[node] = 1;
  *is_active = 1;
  updating[node] = 0;
}
