// Point and range queries on a B+tree: a thread block a query, a thread a key of the node, level after level, with the
// present node of every query in global memory, as Rodinia's b+tree.
#include "device.h"

#define ORDER 256

struct Node {
  int location;
  int children[ORDER + 1];
  int keys[ORDER + 1];
  int is_leaf, key_count;
};

KERNEL find_k(long long height, Node* nodes, long long node_count, int* records, long long* current, long long* next,
              int* wanted, int* answers) {
  int t = threadIdx.x, query = blockIdx.x;
  for (int level = 0; level < height; ++level) {
    if (nodes[current[query]].keys[t] <= wanted[query] && nodes[current[query]].keys[t + 1] > wanted[query])
      if (nodes[next[query]].children[t] < node_count) next[query] = nodes[next[query]].children[t];
    __syncthreads();
    if (t == 0) current[query] = next[query];
    __syncthreads();
  }
  if (nodes[current[query]].keys[t] == wanted[query])
    answers[query] = records[nodes[current[query]].children[t]];
}

// The position of the record of the first key, and how many there are up to the last.
KERNEL find_range(long long height, Node* nodes, long long node_count, long long* left, long long* next_left,
                  long long* right, long long* next_right, int* first, int* last, int* starts, int* lengths) {
  int t = threadIdx.x, query = blockIdx.x;
  for (int level = 0; level < height; ++level) {
    if (nodes[left[query]].keys[t] <= first[query] && nodes[left[query]].keys[t + 1] > first[query])
      if (nodes[left[query]].children[t] < node_count) next_left[query] = nodes[left[query]].children[t];
    if (nodes[right[query]].keys[t] <= last[query] && nodes[right[query]].keys[t + 1] > last[query])
      if (nodes[right[query]].children[t] < node_count) next_right[query] = nodes[right[query]].children[t];
    __syncthreads();
    if (t == 0) {
      left[query] = next_left[query];
      right[query] = next_right[query];
    }
    __syncthreads();
  }
  if (nodes[left[query]].keys[t] == first[query]) starts[query] = nodes[left[query]].children[t];
  __syncthreads();
  if (nodes[right[query]].keys[t] == last[query])
    lengths[query] = nodes[right[query]].children[t] - starts[query] + 1;
}
