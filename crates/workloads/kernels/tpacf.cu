// Angular correlation of points on the sky as Parboil's tpacf: thread block 0 correlates the observed set with itself, the next ones a
// random set with itself, the rest the observed set with a random one. Points pass through shared memory; a pair's bin is found by binary
// search over cosines in constant memory and counted in 128 histograms of the thread block, which are then added.
#include "device.h"

#define BINS 20
#define THREADS 256
#define HISTOGRAMS 128

__constant__ float limits[BINS + 1];

struct Point { float x, y, z; };

KERNEL tpacf(ulong64* histograms, const float* xs, const float* ys, const float* zs, int sets, int points) {
  __shared__ Point shared_points[THREADS];
  __shared__ uint counts[BINS][HISTOGRAMS];
  uint set = blockIdx.x, t = threadIdx.x;
  bool is_with_itself = set < sets + 1;
  for (uint i = t; i < BINS * HISTOGRAMS; i += THREADS) counts[i / HISTOGRAMS][i % HISTOGRAMS] = 0;
  uint second = points * (is_with_itself ? set : set - sets), first = is_with_itself ? second : 0;
  for (uint i = 0; i < points; i += THREADS) {
    if (t + i < points) shared_points[t] = {xs[first + t + i], ys[first + t + i], zs[first + t + i]};
    __syncthreads();
    for (uint j = is_with_itself ? i + 1 : 0; j < points; j += THREADS) {
      Point mine = {0.0f, 0.0f, 0.0f};
      if (t + j < points) mine = {xs[second + t + j], ys[second + t + j], zs[second + t + j]};
      for (uint k = 0; k < THREADS && k + i < points; ++k) {
        Point other = shared_points[k];
        float cosine = other.x * mine.x + other.y * mine.y + other.z * mine.z;
        uint low = 0, high = BINS;
        while (high > low + 1) {
          uint middle = (low + high) / 2;
          if (cosine >= limits[middle]) high = middle;
          else low = middle;
        }
        if (cosine < limits[low] && cosine >= limits[high] && (!is_with_itself || t + j > i + k) && t + j < points)
          atomicAdd(&counts[high - 1][t / (THREADS / HISTOGRAMS)], 1u);
      }
    }
    // The next points may overwrite these only when no warp reads them any more.
    __syncthreads();
  }
  uint column = t & (HISTOGRAMS / 2 - 1), row = t / (HISTOGRAMS / 2);
  for (uint width = HISTOGRAMS / 2; width > 0; width >>= 1)
    for (uint bin = 0; bin < BINS; bin += THREADS / (HISTOGRAMS / 2)) {
      __syncthreads();
      if (column < width && bin + row < BINS) counts[bin + row][column] += counts[bin + row][column + width];
    }
  __syncthreads();
  if (t < BINS) histograms[BINS * set + t] = counts[t][0];
}
