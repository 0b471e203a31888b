// Bayesian tracking of an object in video, double precision: particles move with noise, are weighted by the likelihood of
// the pixels around them, normalised through partial sums, and resampled by searching the cumulative weights, as Rodinia's
// particlefilter.
#include "device.h"

#define THREADS 128

// A linear congruential generator a particle; Box–Muller for normal noise.
DEV double uniform(int* seed) {
  *seed = (int)(1103515245u * (uint)*seed + 12345u);
  return fabs((double)*seed / 2147483647.0);
}
DEV double normal(int* seed) {
  double u = uniform(seed), v = uniform(seed);
  return sqrt(-2.0 * log(u < 1e-12 ? 1e-12 : u)) * cos(6.283185307179586 * v);
}

KERNEL likelihood(double* xs, double* ys, const uchar* frame, const int* object_x, const int* object_y, int object_size,
                  double* weights, double* partial, int* seeds, int count, int width, int height) {
  __shared__ double sums[THREADS];
  int i = global_id();
  sums[threadIdx.x] = 0.0;
  if (i < count) {
    int seed = seeds[i];
    xs[i] += 1.0 + 5.0 * normal(&seed);
    ys[i] += -2.0 + 2.0 * normal(&seed);
    seeds[i] = seed;
    double sum = 0.0;
    for (int k = 0; k < object_size; ++k) {
      int x = (int)rint(xs[i]) + object_x[k], y = (int)rint(ys[i]) + object_y[k];
      double pixel = x >= 0 && x < width && y >= 0 && y < height ? (double)frame[y * width + x] : 0.0;
      sum += ((pixel - 100.0) * (pixel - 100.0) - (pixel - 228.0) * (pixel - 228.0)) / 50.0;
    }
    // Scaled so that exp stays in range for any picture.
    weights[i] *= exp(sum / object_size / 50.0);
    sums[threadIdx.x] = weights[i];
  }
  for (int width2 = THREADS / 2; width2 > 0; width2 >>= 1) {
    __syncthreads();
    if (threadIdx.x < width2) sums[threadIdx.x] += sums[threadIdx.x + width2];
  }
  if (threadIdx.x == 0) partial[blockIdx.x] = sums[0];
}

KERNEL normalize(double* weights, const double* partial, int blocks, int count) {
  int i = global_id();
  if (i >= count) return;
  double total = 0.0;
  for (int b = 0; b < blocks; ++b) total += partial[b];
  weights[i] /= total;
}

// The first particle whose cumulative weight reaches this one's draw.
KERNEL resample(const double* xs, const double* ys, const double* cumulative, const double* draws, double* new_xs,
                double* new_ys, int count) {
  int i = global_id();
  if (i >= count) return;
  int found = count - 1;
  for (int j = 0; j < count; ++j)
    if (cumulative[j] >= draws[i]) {
      found = j;
      break;
    }
  new_xs[i] = xs[found];
  new_ys[i] = ys[found];
}
