// A 3 × 3 convolution straight from global memory, one output element a thread, as PolyBench/GPU has it.
#include "device.h"

KERNEL conv2d(float* in, float* out, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (y < height - 1 && x < width - 1 && y > 0 && x > 0) {
    const float* above = in + (y - 1) * width + x;
    const float* here = in + y * width + x;
    const float* below = in + (y + 1) * width + x;
    out[y * width + x] = 0.2f * above[-1] + 0.5f * above[0] - 0.8f * above[1] - 0.3f * here[-1] + 0.6f * here[0] -
                         0.9f * here[1] + 0.4f * below[-1] + 0.7f * below[0] + 0.1f * below[1];
  }
}
