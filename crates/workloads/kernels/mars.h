// The stages of Mars, the MapReduce on GPUs, as its programs run them: a thread for each record counts what it will emit,
// prefix sums give each its place, the map runs again and writes; then a bitonic network sorts a directory of records by
// the keys that it points to, keys and values are gathered in that order, and the groups of equal keys are found.
//
// Records are bytes. A directory has four numbers for each: where its key begins, the key's bytes, where its value begins,
// the value's bytes. A file that includes this one has `count_record` and `map_record`, and `compare_keys` if it sorts.
#pragma once
#include "device.h"

// Four numbers that are always moved together, as nvcc moves an int4: clang would move those that are needed.
typedef int Entry __attribute__((ext_vector_type(4)));

// Reads all four.
DEV Entry whole(const Entry* at) {
  Entry entry = *at;
  load_parameters(entry.x, entry.y, entry.z, entry.w);
  return entry;
}

// Threads that share a task's staging area in shared memory have five words each.
#define STAGING_WORDS 5

DEV uint task_block() { return gridDim.y * blockIdx.x + blockIdx.y; }
DEV uint task_id() { return task_block() * blockDim.x + threadIdx.x; }

// Where a task writes what it emits.
struct Output {
  const int* key_start;
  const int* value_start;
  const int* record_start;
  int2* written;    // bytes of keys and values so far
  char* keys;
  char* values;
  Entry* directory;
  int* cursor;      // records so far
};

struct Sizes {
  int* key_bytes;
  int* value_bytes;
  int* records;
};

DEV void emit_sizes(const Sizes& sizes, int key_bytes, int value_bytes) {
  int task = task_id();
  sizes.key_bytes[task] += key_bytes;
  sizes.value_bytes[task] += value_bytes;
  sizes.records[task]++;
}

// Copies byte by byte, as the original does, since keys need no alignment.
DEV void emit(const Output& out, const char* key, const char* value, int key_bytes, int value_bytes) {
  int task = task_id();
  // Keeps the addresses from being computed before the records are read, where they would take registers.
  asm volatile("" : "+r"(task));
  int2 written = out.written[task];
  char* to_key = out.keys + out.key_start[task] + written.x;
  char* to_value = out.values + out.value_start[task] + written.y;
  for (int i = 0; i < key_bytes; ++i) to_key[i] = key[i];
  for (int i = 0; i < value_bytes; ++i) to_value[i] = value[i];
  written.x += key_bytes;
  written.y += value_bytes;
  out.written[task] = written;
  int cursor = out.cursor[task];
  int at = cursor + out.record_start[task];
  Entry entry = out.directory[at];
  if (cursor != 0) {
    Entry before = out.directory[at - 1];
    entry.x = before.x + before.y;
    entry.z = before.z + before.w;
  }
  entry.y = key_bytes;
  entry.w = value_bytes;
  out.directory[at] = entry;
  out.cursor[task] = cursor + 1;
}

// A task has one record, as in Mars unless told otherwise.
#define MARS_MAP                                                                                                       \
  KERNEL map_count(char* keys, char* values, const Entry* directory, int* key_bytes, int* value_bytes, int* emitted,   \
                   int records) {                                                                                      \
    if ((int)task_id() >= records) return;                                                                             \
    Sizes sizes = {key_bytes, value_bytes, emitted};                                                                   \
    Entry entry = directory[task_id()];                                                                                \
    count_record(keys + entry.x, values + entry.z, sizes);                                                             \
  }                                                                                                                    \
  KERNEL map_emit(char* keys, char* values, const Entry* directory, const int* key_start, const int* value_start,      \
                  const int* record_start, int2* written, char* out_keys, char* out_values, Entry* out_directory,      \
                  int* cursor, int records) {                                                                          \
    if ((int)task_id() >= records) return;                                                                             \
    int at = record_start[task_id()];                                                                                  \
    Entry place = out_directory[at];                                                                                   \
    place.x = key_start[task_id()];                                                                                    \
    place.z = value_start[task_id()];                                                                                  \
    out_directory[at] = place;                                                                                         \
    Output out = {key_start, value_start, record_start, written, out_keys, out_values, out_directory, cursor};         \
    Entry entry = whole(directory + task_id());                                                                        \
    map_record(keys + entry.x, values + entry.z, out);                                                                 \
  }

extern __attribute__((shared)) int mars_staging[];

// Words of shared memory that belong to this thread.
DEV int* staging() { return mars_staging + threadIdx.x * STAGING_WORDS; }

// Exclusive prefix sums of two numbers a thread (Blelloch): a tree of sums in shared memory with a word left out in every
// 16 against bank conflicts.
DEV int spread_index(int i) { return i + (i >> 4); }

template <bool HAS_TOTALS, bool IS_PARTIAL>
DEV void prescan(int* out, const int* in, int* totals, int count, int block, int base) {
  int* data = mars_staging;
  int first = base == 0 ? blockIdx.x * (blockDim.x << 1) : base;
  int a = threadIdx.x, b = threadIdx.x + blockDim.x;
  data[spread_index(a)] = in[first + a];
  if (IS_PARTIAL) data[spread_index(b)] = b < count ? in[first + b] : 0;
  else data[spread_index(b)] = in[first + b];
  int stride = 1;
  for (int d = blockDim.x; d > 0; d >>= 1) {
    __syncthreads();
    if (threadIdx.x < d) {
      int left = 2 * stride * threadIdx.x + stride - 1;
      data[spread_index(left + stride)] += data[spread_index(left)];
    }
    stride *= 2;
  }
  if (threadIdx.x == 0) {
    int last = spread_index((blockDim.x << 1) - 1);
    if (HAS_TOTALS) totals[block == 0 ? blockIdx.x : block] = data[last];
    data[last] = 0;
  }
  for (int d = 1; d <= blockDim.x; d *= 2) {
    stride >>= 1;
    __syncthreads();
    if (threadIdx.x < d) {
      int left = 2 * stride * threadIdx.x + stride - 1, right = left + stride;
      int moved = data[spread_index(left)];
      data[spread_index(left)] = data[spread_index(right)];
      data[spread_index(right)] += moved;
    }
  }
  __syncthreads();
  out[first + a] = data[spread_index(a)];
  if (!IS_PARTIAL || b < count) out[first + b] = data[spread_index(b)];
}

KERNEL scan_blocks(int* out, const int* in, int* totals, int count, int block, int base) {
  prescan<true, false>(out, in, totals, count, block, base);
}
KERNEL scan_last_block(int* out, const int* in, int* totals, int count, int block, int base) {
  prescan<true, true>(out, in, totals, count, block, base);
}
KERNEL scan_one_block(int* out, const int* in, int* totals, int count, int block, int base) {
  prescan<false, false>(out, in, totals, count, block, base);
}
KERNEL scan_one_partial_block(int* out, const int* in, int* totals, int count, int block, int base) {
  prescan<false, true>(out, in, totals, count, block, base);
}

KERNEL add_totals(int* data, const int* totals, int count, int block, int base) {
  __shared__ int total;
  if (threadIdx.x == 0) total = totals[blockIdx.x + block];
  uint at = blockIdx.x * (blockDim.x << 1) + base + threadIdx.x;
  __syncthreads();
  data[at] += total;
  if (threadIdx.x + blockDim.x < count) data[at + blockDim.x] += total;
}

#ifdef MARS_SORTS
#define SORT_THREADS 256

DEV int compare_keys(const char* a, int a_bytes, const char* b, int b_bytes);

// Padding begins at -1 and sorts first.
DEV int compare_entries(const char* keys, Entry a, Entry b) {
  if (a.x == -1 || b.x == -1) return a.x == b.x ? 0 : a.x == -1 ? -1 : 1;
  return compare_keys(keys + a.x, a.y, keys + b.x, b.y);
}

DEV uint grid_block() { return blockIdx.x + blockIdx.y * gridDim.x; }
// The original takes rows of threads into account, though its thread blocks have one row.
DEV uint grid_thread() { return grid_block() * blockDim.x + threadIdx.x + threadIdx.y * blockDim.x; }

KERNEL fill_directory(Entry* directory, int start, int count, int x, int y) {
  load_parameters(directory, start, count, x, y);
  int at = start + grid_thread();
  if (at < count) directory[at] = (Entry){x, y, 0, 0};
}

// One step of the network over all records. Ascending and descending halves compare in branches of their own, as in the
// original: lanes of a warp that belong to both halves go through the comparison twice. The two comments in the PTX keep
// the compiler from making one branch of them.
KERNEL sort_step(const char* keys, Entry* directory, int size, int stride) {
  load_parameters(keys, directory, size, stride);
  int i = grid_block() * blockDim.x + threadIdx.x;
  int j = i ^ stride;
  if (j <= i) return;
  Entry a = directory[i], b = directory[j];
  if ((i & size) == 0) {
    asm volatile("// ascending half");
    if (compare_entries(keys, a, b) == 1) {
      directory[i] = b;
      directory[j] = a;
    }
  } else {
    asm volatile("// descending half");
    if (compare_entries(keys, a, b) == -1) {
      directory[i] = b;
      directory[j] = a;
    }
  }
}

// Steps from `size / 2` down to 1 inside a thread block's own records in shared memory.
DEV void merge_shared(const char* keys, Entry* own, int size, bool is_up) {
  int i = threadIdx.x;
  for (int stride = size >> 1; stride > 0; stride >>= 1) {
    int j = i ^ stride;
    Entry a = own[i], b = own[j];
    if (j > i) {
      int order = compare_entries(keys, a, b);
      bool is_first_half = (i & size) == 0;
      if (is_first_half == is_up ? order > 0 : order < 0) {
        own[i] = b;
        own[j] = a;
      }
    }
    __syncthreads();
  }
}

KERNEL sort_units(const char* keys, Entry* directory, int chunk) {
  __shared__ Entry own[SORT_THREADS];
  int unit = gridDim.x * chunk + blockIdx.x;
  int at = unit * blockDim.x + threadIdx.x;
  own[threadIdx.x] = directory[at];
  __syncthreads();
  for (int size = 2; size <= SORT_THREADS; size <<= 1) merge_shared(keys, own, size, (unit & 1) == 0);
  directory[at] = own[threadIdx.x];
}

KERNEL merge_units(const char* keys, Entry* directory, int chunk, int units) {
  __shared__ Entry own[SORT_THREADS];
  int unit = gridDim.x * chunk + blockIdx.x;
  int at = unit * blockDim.x + threadIdx.x;
  own[threadIdx.x] = directory[at];
  __syncthreads();
  merge_shared(keys, own, SORT_THREADS, ((unit / units) & 1) == 0);
  directory[at] = own[threadIdx.x];
}

// Up to 256 records: one thread block sorts them all.
KERNEL sort_one_block(const char* keys, const Entry* directory, int count, Entry* sorted) {
  __shared__ Entry own[SORT_THREADS];
  int i = threadIdx.x;
  if (i < count) own[i] = directory[i];
  else own[i].x = -1;
  __syncthreads();
  for (int size = 2; size <= SORT_THREADS; size *= 2) merge_shared(keys, own, size, true);
  int padding = SORT_THREADS - count;
  if (i >= padding) sorted[i - padding] = own[i];
}

// Start and bytes of the entries' keys or values, out of a directory into pairs and back.
#define TAKE_PAIRS(NAME, START, BYTES)                                              \
  KERNEL NAME(const Entry* directory, int start, int count, int2* pairs) {          \
    load_parameters(directory, start, count, pairs);                                \
    int at = start + grid_thread();                                                 \
    if (at >= count) return;                                                        \
    Entry entry = directory[at];                                                    \
    pairs[at].x = entry.START;                                                      \
    pairs[at].y = entry.BYTES;                                                      \
  }
#define PUT_PAIRS(NAME, START, BYTES)                                               \
  KERNEL NAME(Entry* directory, int start, int count, const int2* pairs) {          \
    load_parameters(directory, start, count, pairs);                                \
    int at = start + grid_thread();                                                 \
    if (at >= count) return;                                                        \
    Entry entry = directory[at];                                                    \
    entry.START = pairs[at].x;                                                      \
    entry.BYTES = pairs[at].y;                                                      \
    directory[at] = entry;                                                          \
  }
TAKE_PAIRS(take_values, z, w)
TAKE_PAIRS(take_keys, x, y)
PUT_PAIRS(put_values, z, w)
PUT_PAIRS(put_keys, x, y)

KERNEL take_sizes(const int2* pairs, int start, int count, int* sizes) {
  load_parameters(pairs, start, count, sizes);
  int at = start + grid_thread();
  if (at >= count) return;
  int2 pair = pairs[at];
  sizes[at] = pair.y;
}

KERNEL gather_bytes(const char* from, int start, int2* pairs, int count, const int* starts, char* to) {
  load_parameters(from, start, pairs, count, starts, to);
  int at = start + grid_thread();
  if (at >= count) return;
  int2 pair = pairs[at];
  int place = starts[at];
  for (int i = 0; i < pair.y; ++i) to[i + place] = from[i + pair.x];
  pair.x = place;
  pairs[at] = pair;
}

KERNEL mark_groups(const char* keys, int start, const Entry* directory, int count, int* is_first) {
  load_parameters(keys, start, directory, count, is_first);
  int at = start + grid_thread();
  if (at >= count) return;
  int mark = 0;
  if (at == 0) mark = 1;
  else if (compare_entries(keys, directory[at], directory[at - 1]) != 0) mark = 1;
  is_first[at] = mark;
}

KERNEL list_groups(int start, int count, const int* is_first, const int* group, int* bounds) {
  load_parameters(start, count, is_first, group, bounds);
  int at = start + grid_thread();
  if (at >= count) return;
  int mark = is_first[at], place = group[at];
  if (mark == 1) bounds[place] = at;
}

KERNEL bound_groups(const int* bounds, int start, int groups, int count, int2* ranges) {
  load_parameters(bounds, start, groups, count, ranges);
  int at = start + grid_thread();
  if (at >= groups) return;
  int2 range;
  range.x = bounds[at];
  range.y = at + 1 != groups ? bounds[at + 1] : count;
  ranges[at] = range;
}
#endif
