// Breadth-first search in the two forms that the papers ran. Parboil's works on a worklist, whose nodes a thread each visits:
// one thread block takes level after level while a level fits into it, a thread block for each of 14 SMs with barriers among
// them takes levels of up to 14 thread blocks, and larger levels are a launch each. LonestarGPU's (variant 0) takes every node
// in every round and relaxes its edges with atomicMin.
#include "device.h"

// Parboil's form.
#define BLOCK_THREADS 512
#define QUEUES 8
#define QUEUE_ROOM 400

// Colours of nodes; those of the worklist alternate from level to level.
#define EVEN_GREY 16677219
#define ODD_GREY 16677220
#define BLACK 16677221

// The nodes that a thread block has found: thread i appends to queue i % QUEUES, and `readers` threads copy a queue.
struct Queues {
  int length[QUEUES];
  int nodes[QUEUES][QUEUE_ROOM];
  int readers[QUEUES];
};

// The graph by texture: where a node's edges begin and how many they are, where an edge leads and how long it is.
struct PairGraph {
  Texture nodes, edges;
  int* colour;
  int* cost;
};

DEV int2 fetch_pair(Texture texture, int index) {
  int4 texel = fetch_int4(texture, index);
  return {texel.x, texel.y};
}

DEV void clear_queues(Queues& queues) {
  if (threadIdx.x >= QUEUES) return;
  queues.length[threadIdx.x] = 0;
  queues.readers[threadIdx.x] = blockDim.x / QUEUES + (threadIdx.x < blockDim.x % QUEUES);
}

// What a visit knows of its node.
struct Visit {
  int way, grey, queue;
  int* has_overflowed;
};

// Shortens the way to a neighbour and appends it if it is new to the worklist.
DEV void follow_edge(const PairGraph& graph, int at, Queues& queues, const Visit& visit) {
  int2 edge = fetch_pair(graph.edges, at);
  int cost = visit.way + edge.y;
  if (atomicMin(&graph.cost[edge.x], cost) <= cost) return;
  if (atomicExch(&graph.colour[edge.x], visit.grey) == visit.grey) return;
  int place = atomicAdd(&queues.length[visit.queue], 1);
  if (place < QUEUE_ROOM) queues.nodes[visit.queue][place] = edge.x;
  else *visit.has_overflowed = 1;
}

DEV void visit_node(int node, Queues& queues, const PairGraph& graph, int grey, int* has_overflowed) {
  graph.colour[node] = BLACK;
  Visit visit = {opaque(graph.cost[node]), grey, (int)(threadIdx.x % QUEUES), has_overflowed};
  int2 own = fetch_pair(graph.nodes, node);
  if (own.y < 1) return;
  // As nvcc compiles the loop: edges left over from groups of four come first.
  int at = own.x, end = own.x + own.y;
#pragma nounroll
  for (int left = own.y & 3; left != 0; --left) follow_edge(graph, at++, queues, visit);
  if (own.y < 4) return;
#pragma nounroll
  do {
    follow_edge(graph, at, queues, visit);
    follow_edge(graph, at + 1, queues, visit);
    follow_edge(graph, at + 2, queues, visit);
    follow_edge(graph, at + 3, queues, visit);
    at += 4;
  } while (at < end);
}

// Where each queue begins in the next level, and how many nodes all have.
DEV int place_queues(const Queues& queues, int* first) {
  first[0] = 0;
  for (int queue = 1; queue < QUEUES; ++queue) first[queue] = first[queue - 1] + queues.length[queue - 1];
  return first[QUEUES - 1] + queues.length[QUEUES - 1];
}

DEV void copy_queues(const Queues& queues, const int* first, int* target) {
  int queue = threadIdx.x % QUEUES;
  for (int at = threadIdx.x / QUEUES; at < queues.length[queue]; at += queues.readers[queue])
    target[first[queue] + at] = queues.nodes[queue][at];
}

// The same into device memory, again with the rounds that are left over from groups of four first.
DEV void write_queues(const Queues& queues, const int* first, int* target) {
  int queue = threadIdx.x % QUEUES, at = threadIdx.x / QUEUES, length = queues.length[queue];
  if (at >= length) return;
  int begin = first[queue], readers = queues.readers[queue];
  uint more = (uint)(max(length, at + readers) - at - 1) / (uint)readers;
  auto copy = [&] {
    target[begin + at] = queues.nodes[queue][at];
    at += readers;
  };
#pragma nounroll
  for (uint left = more + 1 & 3; left != 0; --left) copy();
  if (more < 3) return;
#pragma nounroll
  do {
    copy();
    copy();
    copy();
    copy();
  } while (at < length);
}

DEV int other_grey(int grey) { return grey == EVEN_GREY ? ODD_GREY : EVEN_GREY; }

// Level after level in one thread block, until a level is empty or has more nodes than the thread block has threads.
KERNEL bfs_in_block(const int* level, int* next, Texture nodes, Texture edges, int* colour, int* cost, int count,
                    int* next_count, int grey, int* has_overflowed) {
  load_parameters(level, next, nodes, edges, colour, cost, count, next_count, grey, has_overflowed);
  __shared__ Queues queues;
  __shared__ int first[QUEUES], kept[BLOCK_THREADS], total;
  PairGraph graph = {nodes, edges, colour, cost};
  if (threadIdx.x == 0) total = 0;
  while (true) {
    clear_queues(queues);
    __syncthreads();
    int i = blockIdx.x * BLOCK_THREADS + threadIdx.x;
    if (i < count) {
      int node;
      if (total == 0) node = opaque(level[i]);
      else node = opaque(kept[i]);
      visit_node(node, queues, graph, grey, has_overflowed);
    }
    __syncthreads();
    if (threadIdx.x == 0) *next_count = total = place_queues(queues, first);
    __syncthreads();
    if (total == 0) return;
    if (total > BLOCK_THREADS) {
      write_queues(queues, first, next);
      return;
    }
    copy_queues(queues, first, kept);
    __syncthreads();
    count = total;
    // The others keep theirs: a node comes into the worklist once only.
    if (threadIdx.x == 0) grey = other_grey(grey);
  }
}

// How many thread blocks have come to barriers since the search began, the size of the level, and whether the launch goes on.
__device__ volatile int arrivals, level_count, goes_on;

DEV void wait_for_all(int barriers) {
  __syncthreads();
  if (threadIdx.x == 0) {
    atomicAdd((int*)&arrivals, 1);
    while (arrivals < (int)gridDim.x * barriers) {}
  }
  __syncthreads();
}

// Level after level in all thread blocks, while a level has more nodes than one thread block and at most as many as all have
// threads. `is_turned` says afterwards whether the next level is in the second worklist. The host writes `level_count` before: in the
// original the first thread block does, and others may read the count of an earlier launch.
KERNEL bfs_among_blocks(int* one, int* two, Texture nodes, Texture edges, int* colour, int* cost, int* next_count,
                        int grey, int* is_turned, int* barriers_before, int* has_overflowed) {
  load_parameters(one, two, nodes, edges, colour, cost, next_count, grey, is_turned, barriers_before, has_overflowed);
  __shared__ Queues queues;
  __shared__ int first[QUEUES], start, own_count, is_first;
  PairGraph graph = {nodes, edges, colour, cost};
  if (threadIdx.x == 0) is_first = 1;
  int barriers = atomicOr(barriers_before, 0);
  while (true) {
    clear_queues(queues);
    if (threadIdx.x == 0) own_count = level_count;
    __syncthreads();
    int i = blockIdx.x * BLOCK_THREADS + threadIdx.x;
    if (i < own_count) {
      int* level = is_first ? one : two;
      // Another thread block may have written it: atomics see what is in the L2.
      visit_node(atomicOr(&level[i], 0), queues, graph, grey, has_overflowed);
    }
    __syncthreads();
    if (threadIdx.x == 0) start = atomicAdd(next_count, place_queues(queues, first));
    __syncthreads();
    copy_queues(queues, first, (is_first ? two : one) + start);
    if (threadIdx.x == 0) {
      is_first = (is_first + 1) % 2;
      grey = other_grey(grey);
    }
    wait_for_all(barriers + 1);
    if (blockIdx.x == 0 && threadIdx.x == 0) {
      goes_on = 0;
      if (*next_count < (int)gridDim.x * BLOCK_THREADS && *next_count > BLOCK_THREADS) {
        goes_on = 1;
        level_count = *next_count;
        *next_count = 0;
      }
    }
    wait_for_all(barriers + 2);
    barriers += 2;
    if (goes_on == 0) break;
  }
  if (blockIdx.x != 0 || threadIdx.x != 0) return;
  *barriers_before = barriers;
  *is_turned = (is_first + 1) % 2;
}

// One level, with as many thread blocks as it needs.
KERNEL bfs_level(const int* level, int* next, Texture nodes, Texture edges, int* colour, int* cost, int count,
                 int* next_count, int grey, int* has_overflowed) {
  load_parameters(level, next, nodes, edges, colour, cost, count, next_count, grey, has_overflowed);
  __shared__ Queues queues;
  __shared__ int first[QUEUES], start;
  PairGraph graph = {nodes, edges, colour, cost};
  clear_queues(queues);
  __syncthreads();
  int i = blockIdx.x * BLOCK_THREADS + threadIdx.x;
  if (i < count) visit_node(level[i], queues, graph, grey, has_overflowed);
  __syncthreads();
  if (threadIdx.x == 0) start = atomicAdd(next_count, place_queues(queues, first));
  __syncthreads();
  write_queues(queues, first, next + start);
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
