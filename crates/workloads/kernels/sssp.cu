// Single-source shortest paths as LonestarGPU's sssp, variant 0: every node in every round relaxes its edges with atomicMin
// until a round changes nothing. A last launch looks for a distance that could be shorter.
#include "relax.h"

DEV bool relax_edge(uint* distance, const Graph& graph, uint node, uint nth) {
  uint other = head_or_report(graph, node, nth);
  if (other >= graph.nodes) return false;
  uint length = weight_or_report(graph, node, nth, FAR);
  if (length >= FAR) return false;
  uint way = distance[node] + length;
  return way < distance[other] && way < atomicMin(&distance[other], way);
}

KERNEL relax(uint* distance, uint nodes, uint edges, const uint* out_degree, const uint* place, const uint* first_edge,
             const uint* head, const uint* weight, uchar* changed) {
  Graph graph = {nodes, edges, out_degree, place, first_edge, head, weight};
  uint first, end;
  nodes_of_thread(&first, &end);
  for (uint node = first; node < end; ++node)
    if (node < nodes) relax_node(distance, graph, node, changed, relax_edge);
}

KERNEL verify(const uint* distance, uint nodes, uint edges, const uint* out_degree, const uint* place,
              const uint* first_edge, const uint* head, const uint* weight, uint* wrong) {
  Graph graph = {nodes, edges, out_degree, place, first_edge, head, weight};
  uint node = global_id();
  if (node >= nodes) return;
  uint degree = degree_of(graph, node);
  for (uint nth = 0; nth < degree; ++nth) {
    uint other = head_or_report(graph, node, nth), length = weight_or_report(graph, node, nth, FAR);
    if (length > 0 && distance[node] + length < distance[other]) ++*wrong;
  }
}
