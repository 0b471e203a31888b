// Breadth-first search in the two forms that the papers ran. Parboil's works on a worklist: a thread takes a node of the
// current frontier, claims unvisited neighbours with an atomic and appends them to the next frontier through a queue of its
// block in shared memory. LonestarGPU's (variant 0) takes every node in every round and relaxes its edges with atomicMin.
#include "device.h"

#define QUEUE 1024

KERNEL bfs_worklist(const int* row, const int* col, int* level, const int* frontier, int count, int* next,
                    int* next_count, int depth) {
  __shared__ int queue[QUEUE];
  __shared__ int queued, base;
  if (threadIdx.x == 0) queued = 0;
  __syncthreads();
  int i = global_id();
  if (i < count) {
    int node = frontier[i];
    for (int edge = row[node]; edge < row[node + 1]; ++edge) {
      int other = col[edge];
      if (level[other] < 0 && atomicCAS(&level[other], -1, depth) == -1) {
        int at = atomicAdd(&queued, 1);
        if (at < QUEUE) queue[at] = other;
        else next[atomicAdd(next_count, 1)] = other;
      }
    }
  }
  __syncthreads();
  int kept = min(queued, QUEUE);
  if (threadIdx.x == 0) base = atomicAdd(next_count, kept);
  __syncthreads();
  for (int j = threadIdx.x; j < kept; j += blockDim.x) next[base + j] = queue[j];
}

// LonestarGPU's form.
#include "relax.h"

DEV bool relax_edge(uint* distance, const Graph& graph, uint node, uint nth) {
  uint other = head_of(graph, node, nth);
  if (other >= graph.nodes) return false;
  uint way = distance[node] + 1;
  return way < distance[other] && way < atomicMin(&distance[other], way);
}

KERNEL relax(uint* distance, uint nodes, uint edges, const uint* out_degree, const uint* place, const uint* first_edge,
             const uint* head, uchar* changed) {
  Graph graph = {nodes, edges, out_degree, place, first_edge, head, nullptr};
  uint first, end;
  nodes_of_thread(&first, &end);
  for (uint node = first; node < end; ++node)
    if (node < nodes) relax_node(distance, graph, node, changed, relax_edge);
}

KERNEL verify(const uint* distance, uint nodes, uint edges, const uint* out_degree, const uint* place,
              const uint* first_edge, const uint* head, uint* wrong) {
  Graph graph = {nodes, edges, out_degree, place, first_edge, head, nullptr};
  uint node = global_id();
  if (node >= nodes) return;
  uint degree = degree_of(graph, node);
  for (uint nth = 0; nth < degree; ++nth)
    if (distance[node] + 1 < distance[head_of(graph, node, nth)]) ++*wrong;
}
