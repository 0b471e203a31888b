// Stream compaction: flags, an exclusive prefix sum over them (block sums, their scan, then the offsets added), and the
// scatter of the elements that stay.
#include "device.h"

#define THREADS 256
#define PER_BLOCK (2 * THREADS)

KERNEL mark(const uint* in, uint* flags, uint threshold, int count) {
  int i = global_id();
  if (i < count) flags[i] = in[i] < threshold;
}

// Blelloch's work-efficient scan of 512 elements a block.
KERNEL scan_blocks(const uint* in, uint* out, uint* block_sums, int count) {
  __shared__ uint tree[PER_BLOCK];
  int t = threadIdx.x, base = blockIdx.x * PER_BLOCK;
  tree[2 * t] = base + 2 * t < count ? in[base + 2 * t] : 0;
  tree[2 * t + 1] = base + 2 * t + 1 < count ? in[base + 2 * t + 1] : 0;
  int offset = 1;
  for (int width = THREADS; width > 0; width >>= 1) {
    __syncthreads();
    if (t < width) tree[offset * (2 * t + 2) - 1] += tree[offset * (2 * t + 1) - 1];
    offset *= 2;
  }
  if (t == 0) {
    block_sums[blockIdx.x] = tree[PER_BLOCK - 1];
    tree[PER_BLOCK - 1] = 0;
  }
  for (int width = 1; width < PER_BLOCK; width *= 2) {
    offset >>= 1;
    __syncthreads();
    if (t < width) {
      uint left = tree[offset * (2 * t + 1) - 1];
      tree[offset * (2 * t + 1) - 1] = tree[offset * (2 * t + 2) - 1];
      tree[offset * (2 * t + 2) - 1] += left;
    }
  }
  __syncthreads();
  if (base + 2 * t < count) out[base + 2 * t] = tree[2 * t];
  if (base + 2 * t + 1 < count) out[base + 2 * t + 1] = tree[2 * t + 1];
}

KERNEL add_offsets(uint* out, const uint* offsets, int count) {
  int base = blockIdx.x * PER_BLOCK;
  uint offset = offsets[blockIdx.x];
  for (int i = threadIdx.x; i < PER_BLOCK; i += blockDim.x)
    if (base + i < count) out[base + i] += offset;
}

KERNEL compact(const uint* in, const uint* flags, const uint* positions, uint* out, int count) {
  int i = global_id();
  if (i < count && flags[i]) out[positions[i]] = in[i];
}
