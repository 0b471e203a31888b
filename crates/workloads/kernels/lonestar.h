// The graph of LonestarGPU 2.0: edges are numbered from 1, every look-up checks its bounds and reads the degree again.
#pragma once
#include "device.h"

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

// The same look-ups as nvcc compiles them where a failing check reports itself: a report may write anything, so that what is in memory is
// read again behind it, and no check is left out because an earlier one has passed.
DEV void report() { asm volatile("" ::: "memory"); }

DEV uint first_edge_or_report(const Graph& graph, uint node) {
  uint degree = graph.out_degree[node];
  if (degree > 0 && graph.place[node] < graph.nodes) return graph.first_edge[graph.place[node]];
  report();
  return 0;
}

// Whether a node has an edge of that place in its row, and its number.
DEV bool edge_or_report(const Graph& graph, uint node, uint nth, uint* edge) {
  if (node >= graph.nodes || nth >= graph.out_degree[node]) {
    report();
    return false;
  }
  *edge = first_edge_or_report(graph, node) + nth;
  return *edge && *edge < graph.edges + 1;
}

DEV uint head_or_report(const Graph& graph, uint node, uint nth) {
  uint edge;
  return edge_or_report(graph, node, nth, &edge) ? graph.head[edge] : graph.nodes;
}

DEV uint weight_or_report(const Graph& graph, uint node, uint nth, uint otherwise) {
  uint edge;
  return edge_or_report(graph, node, nth, &edge) ? graph.weight[edge] : otherwise;
}
