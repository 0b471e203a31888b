// Bayesian tracking of an object in video, double precision, as the float version of Rodinia's particlefilter: particles
// move with noise, are weighted by the likelihood of the pixels around them, normalised by the sum of all weights, and
// resampled by a linear search in the cumulative weights, which one thread adds up. Squares are calls of pow, which are most of
// the original's instructions, or products.
#include "device.h"

#define THREADS 512
#define MOST 2147483647

// A linear congruential generator a particle; Box–Muller for normal noise.
DEV double uniform(int* seeds, int i) {
  int number = (int)(1103515245u * (uint)seeds[i] + 12345u);
  seeds[i] = number % MOST;
  return fabs(seeds[i] / (double)MOST);
}

DEV double normal(int* seeds, int i) {
  double u = uniform(seeds, i), v = uniform(seeds, i);
  return sqrt(-2 * log(u)) * cos(2 * 3.14159265358979323846 * v);
}

template <bool HAS_PRODUCTS>
DEV double square(double x) {
  return HAS_PRODUCTS ? x * x : pow_of_two(x);
}

// Pixels of a place lie frame by frame. `places` has the indices of every particle's pixels, particle by particle.
template <bool HAS_PRODUCTS>
DEV void weigh(double* xs, double* ys, double* new_xs, double* new_ys, int* places, int* object, double* fits,
               uchar* video, double* weights, int count, int object_size, int video_size, int frame, int height,
               int frames, int* seeds, double* partial) {
  __shared__ double sums[THREADS];
  int i = global_id();
  if (i < count) {
    xs[i] = new_xs[i];
    ys[i] = new_ys[i];
    weights[i] = 1 / (double)count;
    xs[i] = xs[i] + 1.0 + 5.0 * normal(seeds, i);
    ys[i] = ys[i] - 2.0 + 2.0 * normal(seeds, i);
  }
  __syncthreads();
  if (i < count) {
    for (int k = 0; k < object_size; ++k) {
      int x = (int)xs[i] + object[k * 2 + 1], y = (int)ys[i] + object[k * 2];
      places[i * object_size + k] = abs(x * height * frames + y * frames + frame);
      if (places[i * object_size + k] >= video_size) places[i * object_size + k] = 0;
    }
    double sum = 0.0;
    for (int k = 0; k < object_size; ++k) {
      int pixel = video[places[i * object_size + k]];
      double dark = pixel - 100, bright = pixel - 228;
      sum += (square<HAS_PRODUCTS>(dark) - square<HAS_PRODUCTS>(bright)) / 50.0;
    }
    fits[i] = sum;
    fits[i] = fits[i] / object_size;
    weights[i] = weights[i] * exp(fits[i]);
  }
  sums[threadIdx.x] = 0.0;
  __syncthreads();
  if (i < count) sums[threadIdx.x] = weights[i];
  __syncthreads();
  for (uint width = blockDim.x / 2; width > 0; width >>= 1) {
    if (threadIdx.x < width) sums[threadIdx.x] += sums[threadIdx.x + width];
    __syncthreads();
  }
  if (threadIdx.x == 0) partial[blockIdx.x] = sums[0];
}

// Squares by pow, as nvcc 11.8 compiles the original.
KERNEL likelihood(double* xs, double* ys, double* new_xs, double* new_ys, int* places, int* object, double* fits,
                  uchar* video, double* weights, int count, int object_size, int video_size, int frame, int height,
                  int frames, int* seeds, double* partial) {
  weigh<false>(xs, ys, new_xs, new_ys, places, object, fits, video, weights, count, object_size, video_size, frame, height,
              frames, seeds, partial);
}

// Squares are products: until CUDA 4, pow with a whole exponent multiplied.
KERNEL likelihood_products(double* xs, double* ys, double* new_xs, double* new_ys, int* places, int* object, double* fits,
                           uchar* video, double* weights, int count, int object_size, int video_size, int frame, int height,
                           int frames, int* seeds, double* partial) {
  weigh<true>(xs, ys, new_xs, new_ys, places, object, fits, video, weights, count, object_size, video_size, frame, height,
             frames, seeds, partial);
}

KERNEL sum(double* partial, int blocks) {
  if (global_id() != 0) return;
  double total = 0.0;
  for (int block = 0; block < blocks; ++block) total += partial[block];
  partial[0] = total;
}

KERNEL normalize(double* weights, int count, double* partial) {
  __shared__ double total;
  int i = global_id();
  if (threadIdx.x == 0) total = partial[0];
  __syncthreads();
  if (i < count) weights[i] = weights[i] / total;
}

// One thread; a launch of its own, because all weights must be normal before.
KERNEL cumulate(double* weights, int count, double* cumulative, double* draws, int* seeds) {
  if (global_id() != 0) return;
  cumulative[0] = weights[0];
  for (int i = 1; i < count; ++i) cumulative[i] = weights[i] + cumulative[i - 1];
  draws[0] = (1 / (double)count) * uniform(seeds, 0);
}

// The first particle whose cumulative weight reaches this one's draw, which lie evenly from the first on.
KERNEL resample(double* xs, double* ys, double* cumulative, double* draws, double* new_xs, double* new_ys, int count) {
  int i = global_id();
  if (i >= count) return;
  if (i > 0) draws[i] = draws[0] + i / (double)count;
  int found = -1;
  for (int j = 0; j < count; ++j)
    if (cumulative[j] >= draws[i]) {
      found = j;
      break;
    }
  if (found == -1) found = count - 1;
  new_xs[i] = xs[found];
  new_ys[i] = ys[found];
}
