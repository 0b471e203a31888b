// Exact matching of DNA reads against a suffix tree: a thread walks the tree from the root for every start position of
// its read and reports the longest match there, as MUMmerGPU without its texture layout.
#include "device.h"

struct Node {
  int start, end;   // the edge into this node: letters [start, end) of the reference
  int children[4];  // by letter; 0 is none (the root is nobody's child)
};

KERNEL match_reads(const uchar* reference, const Node* nodes, const uchar* reads, const int* read_start, int* lengths,
                   int reads_count, int shortest) {
  int read = global_id();
  if (read >= reads_count) return;
  int first = read_start[read], last = read_start[read + 1];
  for (int start = first; start < last; ++start) {
    int node = 0, at = start;
    while (at < last) {
      int child = nodes[node].children[reads[at]];
      if (child == 0) break;
      int edge = nodes[child].start, edge_end = nodes[child].end;
      while (edge < edge_end && at < last && reference[edge] == reads[at]) {
        ++edge;
        ++at;
      }
      if (edge < edge_end) break;
      node = child;
    }
    lengths[start] = at - start >= shortest ? at - start : 0;
  }
}
