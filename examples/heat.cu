// Heat spreads over a plate: two kernels, printf and dynamic shared memory. heat.toml runs it.
#include "../crates/workloads/kernels/device.h"

extern "C" __device__ int printf(const char* format, ...);

// One step: every inner point becomes the mean of its four neighbours, the rim stays.
KERNEL heat_step(float* next, const float* now, uint width, uint height) {
  uint x = blockIdx.x * blockDim.x + threadIdx.x;
  uint y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  uint i = y * width + x;
  bool is_rim = x == 0 || y == 0 || x == width - 1 || y == height - 1;
  next[i] = is_rim ? now[i] : 0.25f * (now[i - 1] + now[i + 1] + now[i - width] + now[i + width]);
}

extern __shared__ float largest[];

// The largest difference of two plates, found by one block with one word of shared memory a thread.
KERNEL heat_change(const float* a, const float* b, uint n, float* change) {
  uint t = threadIdx.x;
  float mine = 0.0f;
  for (uint i = t; i < n; i += blockDim.x) mine = max(mine, a[i] < b[i] ? b[i] - a[i] : a[i] - b[i]);
  largest[t] = mine;
  __syncthreads();
  for (uint half = blockDim.x / 2; half > 0; half /= 2) {
    if (t < half) largest[t] = max(largest[t], largest[t + half]);
    __syncthreads();
  }
  if (t == 0) {
    *change = largest[0];
    printf("largest change %.6f\n", (double)largest[0]);
  }
}
