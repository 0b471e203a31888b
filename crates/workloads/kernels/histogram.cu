// A saturating histogram as Parboil's histo: the span of the values is estimated from a sample; every value becomes the place of its
// bin in a shared-memory histogram of 24,576 counters of 8 bits; thread blocks of one row of the grid count one such range each and note
// overflowing counters; values outside the span are counted in global memory; and the partial histograms are added.
#include "device.h"

#define KILOBINS 24
#define RANGE_BINS (KILOBINS * 1024)
#define PARTS 14
#define LINES 16
#define SAMPLE_THREADS 512

KERNEL histogram_span(const uint* values, int count, uint* span) {
  __shared__ float means[SAMPLE_THREADS], deviations[SAMPLE_THREADS];
  int t = threadIdx.x, stride = count / gridDim.x, first = blockIdx.x * stride, end = first + stride / 8;
  float mean = 0.0f, deviation = 0.0f;
  uint taken = 0;
  for (int i = first + t; i < end; i += blockDim.x, ++taken) mean += values[i];
  mean /= taken;
  means[t] = mean;
  for (int i = first + t; i < end; i += blockDim.x) deviation += (values[i] - mean) * (values[i] - mean);
  deviations[t] = sqrtf(deviation / taken);
  for (int width = SAMPLE_THREADS / 2; width > 0; width >>= 1) {
    if (width >= 32) __syncthreads();
    else __syncwarp();
    if (t < width) {
      means[t] += means[t + width];
      deviations[t] += deviations[t + width];
    }
  }
  if (t == 0) {
    mean = means[0] / SAMPLE_THREADS;
    deviation = deviations[0] / SAMPLE_THREADS;
    atomicMin(span, (uint)(mean - 10 * deviation) / RANGE_BINS);
    atomicMax(span + 1, (uint)(mean + 10 * deviation) / RANGE_BINS);
  }
}

// Range, row and column in the shared histogram, and bit of the counter in its word.
DEV uchar4 place_of(uint bin) {
  return {(uchar)(bin / RANGE_BINS), (uchar)((bin >> 10) % KILOBINS), (uchar)(bin >> 2), (uchar)(bin % 4 * 8)};
}

// A place in registers. All of it is loaded and taken apart at once, where clang would do it when a part is needed.
struct Place { uint range, row, column, bit; };
DEV Place load_place(const uchar4* place) {
  uint word = *(const uint*)place;
  Place parts = {word & 255, word >> 8 & 255, word >> 16 & 255, word >> 24};
  load_parameters(parts.range, parts.row, parts.column, parts.bit);
  return parts;
}

DEV uint bin_of(Place place) {
  return place.range * RANGE_BINS + place.bit / 8 + (place.column << 2) + (place.row << 10);
}

// Two values that are loaded at once, where clang would load each where it is needed.
typedef uint Pair __attribute__((ext_vector_type(2)));

KERNEL histogram_places(const Pair* values, uint height, uint width, uint pitch, uchar4* places) {
  uint line = LINES * blockIdx.x, store = line * width + threadIdx.x;
  const Pair* load = values + line * pitch + threadIdx.x;
  bool is_alone = width % 2 && threadIdx.x == blockDim.x - 1;
#pragma unroll
  for (int i = 0; i < LINES; ++i, load += pitch, store += width) {
    Pair pair = *load;
    places[store] = place_of(pair.x);
    if (!is_alone) places[store + blockDim.x] = place_of(pair.y);
  }
}

// Counts a value of the block's own range; a counter that overflows has carried into its neighbours, which is put right.
DEV void count_inside(uint* overflow, uint* counts, uint range, Place place) {
  if (place.range != range) return;
  uint before = atomicAdd(&counts[place.row * 256 + place.column], 1u << place.bit);
  if ((before >> place.bit & 255) != 255) return;
  uint bin = bin_of(place);
  atomicAdd(&overflow[bin], 256u);
  for (uint bit = place.bit + 8; bit < 32; bit += 8) {
    bool carries_on = (before >> bit & 255) == 255;
    atomicAdd(&overflow[++bin], carries_on ? 255u : ~0u);
    if (!carries_on) break;
  }
}

DEV void count_outside(uint* outside, uint first_range, uint last_range, Place place) {
  if (place.range >= first_range && place.range <= last_range) return;
  uint bin = bin_of(place), bit = bin % 2 ? 16 : 0;
  if ((outside[bin / 2] >> bit & 0xffff) < 255) atomicAdd(&outside[bin / 2], 1u << bit);
}

KERNEL histogram_count(const uchar4* places, uint count, uint first_range, uint last_range, uint bins, uint* partial,
                       uint* outside, uint* overflow) {
  __shared__ uint counts[RANGE_BINS / 4];
  uint range = first_range + blockIdx.y;
  for (uint i = threadIdx.x; i < RANGE_BINS / 4; i += blockDim.x) counts[i] = 0;
  __syncthreads();
  if (blockIdx.y == 0) {
    for (uint i = global_id(); i < count; i += global_threads()) {
      Place place = load_place(&places[i]);
      count_inside(overflow, counts, range, place);
      count_outside(outside, first_range, last_range, place);
    }
  } else {
    for (uint i = global_id(); i < count; i += global_threads()) count_inside(overflow, counts, range, load_place(&places[i]));
  }
  __syncthreads();
  uint* mine = partial + blockIdx.x * (bins / 4) + range * (RANGE_BINS / 4);
  for (uint i = threadIdx.x; i < RANGE_BINS / 4; i += blockDim.x) mine[i] = counts[i];
}

DEV uchar saturated(uint count) { return (uchar)min(count, 255u); }

DEV void finish_outside(ushort4* outside, uchar4* result, uint first, uint end) {
  for (uint i = first; i < end; i += global_threads()) {
    ushort4 counts = outside[i];
    outside[i] = {0, 0, 0, 0};
    result[i] = {saturated(counts.x), saturated(counts.y), saturated(counts.z), saturated(counts.w)};
  }
}

KERNEL histogram_finish(uint first_range, uint last_range, uint bins, const uint* partial, ushort4* outside, uint4* overflow,
                        uchar4* result) {
  uint below = first_range * RANGE_BINS / 4, inside = (last_range - first_range + 1) * RANGE_BINS / 4;
  finish_outside(outside, result, global_id(), below);
  for (uint i = below + global_id(); i < below + inside; i += global_threads()) {
    uint4 counts = overflow[i];
    // One store of 16 bytes, where clang would make two of known zeros.
    uint zero = (uint)opaque(0);
    overflow[i] = {zero, zero, zero, zero};
#pragma unroll
    for (int part = 0; part < PARTS; ++part) {
      uint four = partial[i + part * bins / 4];
      counts.x += four & 255;
      counts.y += four >> 8 & 255;
      counts.z += four >> 16 & 255;
      counts.w += four >> 24;
    }
    result[i] = {saturated(counts.x), saturated(counts.y), saturated(counts.z), saturated(counts.w)};
  }
  finish_outside(outside, result, below + inside + global_id(), bins / 4);
}
