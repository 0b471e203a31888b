// Angular correlation of points on the sky: every pair's angle falls into a bin found by binary search over cosines; a
// block keeps a histogram a warp in shared memory, as Parboil's tpacf.
#include "device.h"

#define BINS 20
#define THREADS 256
#define WARPS (THREADS / 32)

KERNEL tpacf(const float* x1, const float* y1, const float* z1, const float* x2, const float* y2, const float* z2,
             int count, int is_same_set, const float* limits, uint* histogram) {
  __shared__ uint bins[WARPS][BINS + 2];
  __shared__ float xs[THREADS], ys[THREADS], zs[THREADS];
  int t = threadIdx.x, warp = t / 32;
  for (int i = t; i < WARPS * (BINS + 2); i += THREADS) bins[i / (BINS + 2)][i % (BINS + 2)] = 0;
  int mine = global_id();
  float x = mine < count ? x1[mine] : 0.0f, y = mine < count ? y1[mine] : 0.0f, z = mine < count ? z1[mine] : 0.0f;
  for (int base = 0; base < count; base += THREADS) {
    __syncthreads();
    if (base + t < count) {
      xs[t] = x2[base + t];
      ys[t] = y2[base + t];
      zs[t] = z2[base + t];
    }
    __syncthreads();
    if (mine >= count) continue;
    for (int i = 0; i < THREADS && base + i < count; ++i) {
      if (is_same_set && base + i <= mine) continue;
      float cosine = x * xs[i] + y * ys[i] + z * zs[i];
      int low = 0, high = BINS + 1;
      while (high > low + 1) {
        int middle = (low + high) / 2;
        if (cosine >= limits[middle]) high = middle;
        else low = middle;
      }
      atomicAdd(&bins[warp][cosine >= limits[0] ? 0 : low + 1], 1u);
    }
  }
  __syncthreads();
  if (t < BINS + 2) {
    uint sum = 0;
    for (int w = 0; w < WARPS; ++w) sum += bins[w][t];
    if (sum) atomicAdd(&histogram[t], sum);
  }
}
