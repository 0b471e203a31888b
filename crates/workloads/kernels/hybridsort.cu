// Bucket sort, then merge sort inside the buckets, of floats: pivots split the range so that buckets are about equal;
// every thread merges two runs of its bucket, runs doubling from pass to pass (the plan of Rodinia's hybridsort).
#include "device.h"

#define BUCKETS 128

DEV int bucket_of(const float* pivots, float value) {
  int low = 0, high = BUCKETS - 1;
  while (low < high) {
    int middle = (low + high) / 2;
    if (value < pivots[middle]) high = middle;
    else low = middle + 1;
  }
  return low;
}

KERNEL bucket_count(const float* in, const float* pivots, int* bucket, int* rank, int* counts, int count) {
  int i = global_id();
  if (i >= count) return;
  int b = bucket_of(pivots, in[i]);
  bucket[i] = b;
  rank[i] = atomicAdd(&counts[b], 1);
}

KERNEL bucket_scatter(const float* in, const int* bucket, const int* rank, const int* offsets, float* out, int count) {
  int i = global_id();
  if (i < count) out[offsets[bucket[i]] + rank[i]] = in[i];
}

// One pass: each thread merges the runs [start, start + width) and [start + width, start + 2 width) of one bucket.
KERNEL merge_runs(const float* in, float* out, const int* offsets, int width) {
  int first = offsets[blockIdx.y], last = offsets[blockIdx.y + 1];
  int start = first + (blockIdx.x * blockDim.x + threadIdx.x) * 2 * width;
  if (start >= last) return;
  int a = start, middle = min(start + width, last), b = middle, end = min(start + 2 * width, last);
  for (int at = start; at < end; ++at) {
    bool takes_a = b >= end || (a < middle && in[a] <= in[b]);
    out[at] = takes_a ? in[a++] : in[b++];
  }
}
