// Point and range queries on a B+tree: a block a query, a thread a key of the node, level after level, as Rodinia's
// b+tree.
#include "device.h"

#define ORDER 256

struct Node {
  int keys[ORDER + 1];
  int children[ORDER + 1];
};

// The child whose key interval holds the wanted key.
KERNEL find_k(int height, const Node* nodes, const int* records, const int* wanted, int* answers) {
  __shared__ int current;
  int t = threadIdx.x, query = blockIdx.x, key = wanted[query];
  if (t == 0) current = 0;
  __syncthreads();
  for (int level = 0; level < height; ++level) {
    const Node* node = &nodes[current];
    bool is_mine = node->keys[t] <= key && node->keys[t + 1] > key;
    int child = node->children[t];
    __syncthreads();
    if (is_mine) current = child;
    __syncthreads();
  }
  if (nodes[current].keys[t] == key) answers[query] = records[nodes[current].children[t]];
}

// The positions of the first and last record between two keys.
KERNEL find_range(int height, const Node* nodes, const int* first_keys, const int* last_keys, int* starts,
                  int* lengths) {
  __shared__ int left, right, start, end;
  int t = threadIdx.x, query = blockIdx.x, first = first_keys[query], last = last_keys[query];
  if (t == 0) left = right = start = end = 0;
  __syncthreads();
  for (int level = 0; level < height; ++level) {
    const Node* a = &nodes[left];
    const Node* b = &nodes[right];
    bool is_left = a->keys[t] <= first && a->keys[t + 1] > first;
    bool is_right = b->keys[t] <= last && b->keys[t + 1] > last;
    int left_child = a->children[t], right_child = b->children[t];
    __syncthreads();
    if (is_left) left = left_child;
    if (is_right) right = right_child;
    __syncthreads();
  }
  if (nodes[left].keys[t] == first) start = nodes[left].children[t];
  if (nodes[right].keys[t] == last) end = nodes[right].children[t];
  __syncthreads();
  if (t == 0) {
    starts[query] = start;
    lengths[query] = end - start + 1;
  }
}
