// Bucket sort into 1,024 buckets of about equal size, then merge sort of each bucket in vectors of four floats, as
// Rodinia's hybridsort. Pivots and the vectors to be merged are read through the texture cache; a warp's counters in
// shared memory are tagged with the lane that wrote them last, so that every increment is seen.
#include "device.h"

#define LOG_BUCKETS 10
#define BUCKETS (1 << LOG_BUCKETS)
#define BINS 1024
#define HISTOGRAM_WARPS 3
#define TAG_SHIFT 27
#define COUNT_MASK 0x07ffffffu

// Where each bucket starts, in vectors and, without the padding, in floats; and how much padding it has.
__constant__ int vector_start[BUCKETS + 1];
__constant__ int final_start[BUCKETS + 1];
__constant__ int padding[BUCKETS];

// Adds one to a counter of the warp; of the lanes that want the same one, one succeeds in each round.
DEV uint increment(volatile uint* counters, uint index, uint tag) {
  uint count;
  do {
    count = counters[index] & COUNT_MASK;
    count = tag | (count + 1);
    counters[index] = count;
  } while (counters[index] != count);
  return (count & COUNT_MASK) - 1;
}

KERNEL histogram(uint* result, const float* data, float least, float greatest, int count) {
  __shared__ volatile uint counters[HISTOGRAM_WARPS * BINS];
  uint tag = threadIdx.x << TAG_SHIFT;
  int warp = (threadIdx.x >> 5) * BINS;
  // The address is computed anew each time, as nvcc does.
  for (int i = threadIdx.x; i < HISTOGRAM_WARPS * BINS; i += blockDim.x) counters[opaque(i)] = opaque(0);
  __syncthreads();
  for (int i = global_id(); i < count; i += global_threads()) {
    uint bin = (uint)(((data[i] - least) / (greatest - least)) * BINS);
    increment(counters + warp, bin & (BINS - 1), tag);
  }
  __syncthreads();
  for (int i = threadIdx.x; i < BINS; i += blockDim.x) {
    uint sum = 0;
    for (int base = 0; base < HISTOGRAM_WARPS * BINS; base += BINS) sum += counters[base + i] & COUNT_MASK;
    atomicAdd(result + i, sum);
  }
}

// One warp a thread block: finds each element's bucket and its place among the block's elements of that bucket.
KERNEL bucket_count(const float* input, Texture pivots, int* places, uint* block_counts, int count) {
  __shared__ volatile uint counters[BUCKETS];
  uint tag = threadIdx.x << TAG_SHIFT;
  for (int i = threadIdx.x; i < BUCKETS; i += blockDim.x) counters[i] = 0;
  __syncthreads();
  for (int i = global_id(); i < count; i += global_threads()) {
    float value = input[i];
    int bucket = BUCKETS / 2 - 1;
    float pivot = fetch_float(pivots, bucket);
    for (int jump = BUCKETS / 4; jump >= 1; jump /= 2) {
      bucket = value < pivot ? bucket - jump : bucket + jump;
      pivot = fetch_float(pivots, bucket);
    }
    bucket = value < pivot ? bucket : bucket + 1;
    places[i] = (increment(counters, bucket, tag) << LOG_BUCKETS) + bucket;
  }
  __syncthreads();
  for (int i = threadIdx.x; i < BUCKETS; i += blockDim.x)
    block_counts[blockIdx.x * BUCKETS + i] = counters[i] & COUNT_MASK;
}

// A thread a bucket: the counts of all thread blocks become offsets, and their sum the bucket's size.
KERNEL bucket_offsets(uint* block_counts, uint* sizes, int blocks) {
  int bucket = global_id(), sum = 0;
  for (int i = bucket; i < blocks * BUCKETS; i += BUCKETS) {
    int own = block_counts[i];
    block_counts[i] = sum;
    sum += own;
  }
  sizes[bucket] = sum;
}

KERNEL bucket_scatter(const float* input, const int* places, float* output, int count, const uint* block_counts,
                      const uint* starts) {
  __shared__ volatile uint offsets[BUCKETS];
  for (int i = threadIdx.x; i < BUCKETS; i += blockDim.x)
    offsets[i] = starts[i & (BUCKETS - 1)] + block_counts[blockIdx.x * BUCKETS + i];
  __syncthreads();
  for (int i = global_id(); i < count; i += global_threads()) {
    float value = input[i];
    int place = places[i];
    output[offsets[place & (BUCKETS - 1)] + (place >> LOG_BUCKETS)] = value;
  }
}

DEV float4 sorted(float4 r) {
  float4 s;
  s.x = r.x > r.y ? r.y : r.x;
  s.y = r.y > r.x ? r.y : r.x;
  s.z = r.z > r.w ? r.w : r.z;
  s.w = r.w > r.z ? r.w : r.z;
  r.x = s.x > s.z ? s.z : s.x;
  r.y = s.y > s.w ? s.w : s.y;
  r.z = s.z > s.x ? s.z : s.x;
  r.w = s.w > s.y ? s.w : s.y;
  s.x = r.x;
  s.y = r.y > r.z ? r.z : r.y;
  s.z = r.z > r.y ? r.z : r.y;
  s.w = r.w;
  return s;
}

// The four least, and the four greatest, of two sorted vectors.
DEV float4 lowest(float4 a, float4 b) {
  return {a.x < b.w ? a.x : b.w, a.y < b.z ? a.y : b.z, a.z < b.y ? a.z : b.y, a.w < b.x ? a.w : b.x};
}

DEV float4 highest(float4 a, float4 b) {
  return {a.w >= b.x ? a.w : b.x, a.z >= b.y ? a.z : b.y, a.y >= b.z ? a.y : b.z, a.x >= b.w ? a.x : b.w};
}

KERNEL merge_first(Texture list, float4* result, int floats) {
  int i = global_id();
  if (i < floats / 4) result[i] = sorted(fetch_float4(list, i));
}

// Each thread merges two runs of `vectors` / 2 vectors of one bucket.
KERNEL merge_pass(Texture list, float4* result, int vectors, int threads_per_bucket) {
  int thread = global_id(), bucket = thread / threads_per_bucket;
  if (bucket >= BUCKETS) return;
  int a_start = vector_start[bucket] + (thread - bucket * threads_per_bucket) * vectors;
  int b_start = a_start + vectors / 2;
  float4* out = result + a_start;
  if (a_start >= vector_start[bucket + 1]) return;
  if (b_start >= vector_start[bucket + 1]) {
    for (int i = 0; i < vector_start[bucket + 1] - a_start; ++i) out[i] = fetch_float4(list, a_start + i);
    return;
  }
  int a_index = 0, b_index = 0, written = 0;
  float4 a = fetch_float4(list, a_start), b = fetch_float4(list, b_start);
  while (true) {
    float4 next_a = fetch_float4(list, a_start + a_index + 1), next_b = fetch_float4(list, b_start + b_index + 1);
    float4 low = lowest(a, b), high = highest(a, b);
    a = sorted(low);
    b = sorted(high);
    out[written++] = a;
    bool a_has_more = a_index + 1 < vectors / 2;
    bool b_has_more = b_index + 1 < vectors / 2 && b_start + b_index + 1 < vector_start[bucket + 1];
    if (!a_has_more && !b_has_more) break;
    if (a_has_more && (!b_has_more || next_a.x < next_b.x)) {
      a_index += 1;
      a = next_a;
    } else {
      b_index += 1;
      a = next_b;
    }
  }
  out[written++] = b;
}

// Leaves out the padding, which is zero and therefore comes first in each bucket.
KERNEL pack(const float* padded, float* result) {
  load_parameters(padded, result);
  int i = global_id(), bucket = blockIdx.y;
  if (final_start[bucket] + i >= final_start[bucket + 1]) return;
  result[final_start[bucket] + i] = padded[vector_start[bucket] * 4 + padding[bucket] + i];
}
