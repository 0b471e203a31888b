// What LonestarGPU's bfs and sssp share: every node in every round relaxes its edges.
#pragma once
#include "lonestar.h"

#define NODES_PER_BLOCK 1024
#define FAR 1000000000u

KERNEL start(uint* distance, uint nodes) {
  uint node = global_id();
  if (node < nodes) distance[node] = FAR;
}

// The nodes of a thread.
DEV void nodes_of_thread(uint* first, uint* end) {
  uint per_thread = NODES_PER_BLOCK / blockDim.x;
  *first = global_id() * per_thread, *end = (global_id() + 1) * per_thread;
}

// Relaxes the edges of a node: `relax_edge` says whether it found a shorter way over one.
template <typename RelaxEdge>
DEV void relax_node(uint* distance, const Graph& graph, uint node, uchar* changed, RelaxEdge relax_edge) {
  bool is_changed = false;
  uint degree = degree_of(graph, node);
  for (uint nth = 0; nth < degree; ++nth)
    if (relax_edge(distance, graph, node, nth)) is_changed = true;
  if (is_changed) *changed = 1;
}
