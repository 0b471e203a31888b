// The graph of LonestarGPU 2.0: edges are numbered from 1, every look-up checks its bounds and reads the degree again.
#pragma once
#include "device.h"

#define NODES_PER_BLOCK 1024

struct Graph {
  uint nodes, edges;
  const uint* out_degree;
  const uint* place;       // the node's row
  const uint* first_edge;  // of a row
  const uint* head;
  const uint* weight;
};

DEV uint degree_of(const Graph& graph, uint node) { return node < graph.nodes ? graph.out_degree[node] : 0; }

DEV uint edge_of(const Graph& graph, uint node, uint nth) {
  if (node >= graph.nodes || nth >= degree_of(graph, node)) return 0;
  uint first = 0;
  if (degree_of(graph, node) > 0 && graph.place[node] < graph.nodes) first = graph.first_edge[graph.place[node]];
  uint edge = first + nth;
  return edge < graph.edges + 1 ? edge : 0;
}

DEV uint head_of(const Graph& graph, uint node, uint nth) {
  uint edge = edge_of(graph, node, nth);
  return edge ? graph.head[edge] : graph.nodes;
}

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
