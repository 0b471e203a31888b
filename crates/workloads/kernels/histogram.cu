// A saturating histogram: bins count to 255 and stop, as in Parboil's histo. A block owns a slice of the bins in shared
// memory and looks at every pixel for them.
#include "device.h"

#define BINS_PER_BLOCK 1024
#define LARGEST 255

KERNEL histogram_count(const uint* pixels, uint* counts, int pixels_per_part, int pixel_count, int bins) {
  __shared__ uint mine[BINS_PER_BLOCK];
  for (int i = threadIdx.x; i < BINS_PER_BLOCK; i += blockDim.x) mine[i] = 0;
  __syncthreads();
  uint first_bin = blockIdx.x * BINS_PER_BLOCK;
  int first = blockIdx.y * pixels_per_part, last = min(first + pixels_per_part, pixel_count);
  for (int i = first + threadIdx.x; i < last; i += blockDim.x) {
    uint bin = pixels[i] - first_bin;
    if (bin < BINS_PER_BLOCK) atomicAdd(&mine[bin], 1u);
  }
  __syncthreads();
  for (int i = threadIdx.x; i < BINS_PER_BLOCK; i += blockDim.x)
    if (first_bin + i < bins && mine[i]) atomicAdd(&counts[first_bin + i], mine[i]);
}

KERNEL histogram_saturate(const uint* counts, uchar* result, int bins) {
  int bin = global_id();
  if (bin < bins) result[bin] = (uchar)min(counts[bin], (uint)LARGEST);
}
