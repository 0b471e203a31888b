// Minimum spanning tree (Borůvka) as LonestarGPU's mst: every node finds its lightest edge out of its component, every
// component one node whose edge is as light as its lightest, and the components along those edges are joined in a forest of
// links (union-find) by thread blocks that wait for each other.
#include "lonestar.h"

#define NEVER 1000000000u

// Links to the component's representative, how many nodes it stands for, and how many components there are.
struct Components {
  uint* link;
  uint* size;
  uint* count;
};

// The original reads a link with an atomic, so that no old copy is seen.
DEV bool is_representative(const Components& components, uint node) {
  return atomicCAS(&components.link[node], node, node) == node;
}

// The representative; the link of the node itself is shortened.
DEV uint find(const Components& components, uint node) {
  uint at = node;
  while (!is_representative(components, at)) at = components.link[at];
  components.link[node] = at;
  return at;
}

// Joins two components unless one has been joined already: the one of the smaller number links to the other.
DEV bool join(const Components& components, uint one, uint two) {
  if (!is_representative(components, one) || !is_representative(components, two) || one == two) return false;
  uint above = max(one, two), below = min(one, two);
  if (atomicCAS(&components.link[below], below, above) != below) return false;
  atomicAdd(&components.size[above], components.size[below]);
  atomicSub(components.count, 1u);
  return true;
}

DEV uint weight_of(const Graph& graph, uint node, uint nth) { return weight_or_report(graph, node, nth, NEVER); }

// A word as the L2 has it: other thread blocks may have changed it.
DEV uint load_from_l2(const uint* word) {
  uint value;
  asm volatile("ld.cg.u32 %0, [%1];" : "=r"(value) : "l"(word) : "memory");
  return value;
}

// All thread blocks wait for each other: each reports in a word of its own, and the first one releases them all.
DEV void wait_for_all(uint* arrived) {
  __threadfence();
  __syncthreads();
  if (blockIdx.x == 0) {
    if (threadIdx.x == 0) arrived[0] = 1;
    __syncthreads();
    for (uint peer = threadIdx.x; peer < gridDim.x; peer += blockDim.x)
      while (load_from_l2(&arrived[peer]) == 0) __threadfence_block();
    __syncthreads();
    for (uint peer = threadIdx.x; peer < gridDim.x; peer += blockDim.x) arrived[peer] = 0;
  } else {
    if (threadIdx.x == 0) {
      arrived[blockIdx.x] = 1;
      while (load_from_l2(&arrived[blockIdx.x]) == 1) __threadfence_block();
    }
    __syncthreads();
  }
}

#define GRAPH_PARAMETERS                                                                                               \
  uint nodes, uint edges, const uint *out_degree, const uint *place, const uint *first_edge, const uint *head,         \
      const uint *weight, uint only
// All threads would take the node `only`, were it one.
#define NODE_OF_THREAD (only < nodes ? only : global_id())
#define GRAPH {nodes, edges, out_degree, place, first_edge, head, weight}

KERNEL start_components(uint* link, uint* size, uint nodes) {
  uint node = global_id();
  if (node >= nodes) return;
  size[node] = 1;
  link[node] = node;
}

KERNEL start_round(uint* own_lightest, uint* lightest, uint* partner, uint* locks, uchar* is_chosen, uint* chosen,
                   uint nodes, uint only) {
  load_parameters(own_lightest, lightest, partner, locks, is_chosen, chosen, nodes, only);
  uint node = only < nodes ? only : global_id();
  if (node >= nodes) return;
  own_lightest[node] = NEVER;
  lightest[node] = NEVER;
  chosen[node] = nodes;
  locks[node] = 0;
  partner[node] = node;
  is_chosen[node] = 0;
}

// The weight of every node's lightest edge into another component, that component, and the least weight of a component.
KERNEL find_lightest(GRAPH_PARAMETERS, uint* link, uint* size, uint* count, uint* own_lightest, uint* lightest,
                     uint* partner) {
  load_parameters(nodes, edges, out_degree, place, first_edge, head, weight, only, link, own_lightest, lightest, partner);
  Graph graph = GRAPH;
  Components components = {link, size, count};
  uint node = NODE_OF_THREAD;
  if (node >= nodes) return;
  uint own = find(components, node), other = nodes, least = NEVER;
  uint degree = degree_of(graph, node);
  for (uint nth = 0; nth < degree; ++nth) {
    uint weight = weight_of(graph, node, nth);
    if (weight >= least) continue;
    uint there = find(components, head_or_report(graph, node, nth));
    if (there == own) continue;
    least = weight;
    other = there;
  }
  own_lightest[node] = least;
  partner[node] = other;
  if (least < lightest[own] && own != other) atomicMin(&lightest[own], least);
}

// The first node that has an edge as light as its component's lightest is the component's node of this round.
KERNEL choose_node(GRAPH_PARAMETERS, uint* link, uint* size, uint* count, uint* own_lightest, uint* lightest,
                   uint* partner, uint* chosen) {
  load_parameters(nodes, edges, out_degree, place, first_edge, head, weight, link, own_lightest, lightest, partner, chosen);
  Graph graph = GRAPH;
  Components components = {link, size, count};
  uint node = global_id();
  if (node >= nodes) return;
  uint own = find(components, node);
  if (own_lightest[node] != lightest[own] || own == partner[node] || partner[node] == nodes) return;
  uint degree = degree_of(graph, node);
  for (uint nth = 0; nth < degree; ++nth) {
    if (weight_of(graph, node, nth) != own_lightest[node]) continue;
    uint there = find(components, head_or_report(graph, node, nth));
    if (there == partner[node]) atomicCAS(&chosen[own], nodes, node);
  }
}

// Marks the chosen node if it still has such an edge to another component.
KERNEL verify_choice(GRAPH_PARAMETERS, uint* link, uint* size, uint* count, uint* lightest, uint* partner,
                     uchar* is_chosen, uint* chosen) {
  load_parameters(nodes, edges, out_degree, place, first_edge, head, weight, only, link, lightest, partner, is_chosen, chosen);
  Graph graph = GRAPH;
  Components components = {link, size, count};
  uint node = NODE_OF_THREAD;
  if (node >= nodes || !is_representative(components, node)) return;
  uint from = chosen[node];
  if (from == nodes) return;
  uint degree = degree_of(graph, from), least = lightest[node];
  if (least == NEVER) return;
  for (uint nth = 0; nth < degree; ++nth) {
    if (weight_of(graph, from, nth) != least) continue;
    uint there = find(components, head_or_report(graph, from, nth));
    if (there != partner[from] || there == node) continue;
    is_chosen[from] = 1;
    return;
  }
}

// As many thread blocks as the GPU holds. What a join changes is read by all before any of them joins.
KERNEL __launch_bounds__(384) join_components(uint nodes, uint* link, uint* size, uint* count, uint* own_lightest,
                                              uint* partner, uchar* is_chosen, uint* arrived, uchar* is_repeated,
                                              uint* tree_weight, uint* tree_edges) {
  load_parameters(nodes, link, size, count, own_lightest, partner, is_chosen, arrived, is_repeated, tree_weight, tree_edges);
  Components components = {link, size, count};
  uint threads = global_threads(), own = 0, other = 0;
  uint end = (nodes + threads - 1) / threads * threads;
  for (uint node = global_id(); node < end; node += threads) {
    if (node < nodes && is_chosen[node]) {
      own = find(components, node);
      other = find(components, partner[node]);
    }
    wait_for_all(arrived);
    if (node < nodes && is_chosen[node] && own != other) {
      if (join(components, own, other)) {
        atomicAdd(tree_weight, own_lightest[node]);
        atomicAdd(tree_edges, 1u);
        is_chosen[node] = 0;
        own_lightest[node] = NEVER;
      } else {
        *is_repeated = 1;
      }
    }
    wait_for_all(arrived);
  }
}
