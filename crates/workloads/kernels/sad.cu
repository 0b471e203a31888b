// Motion search of a video encoder: sums of absolute differences of 4 × 4 blocks over a search window, then the sums of
// the 8 × 8 blocks from them, as Parboil's sad.
#include "device.h"

#define REACH 8
#define POSITIONS ((2 * REACH + 1) * (2 * REACH + 1))

// A block of threads a 4 × 4 block of the frame, a search position a thread.
KERNEL sad_4x4(const uchar* current, const uchar* reference, ushort* sums, int width, int height) {
  __shared__ uchar block[16];
  int bx = blockIdx.x * 4, by = blockIdx.y * 4, number = blockIdx.y * gridDim.x + blockIdx.x;
  if (threadIdx.x < 16) block[threadIdx.x] = current[(by + threadIdx.x / 4) * width + bx + threadIdx.x % 4];
  __syncthreads();
  for (int p = threadIdx.x; p < POSITIONS; p += blockDim.x) {
    int dx = p % (2 * REACH + 1) - REACH, dy = p / (2 * REACH + 1) - REACH, sum = 0;
#pragma unroll
    for (int i = 0; i < 16; ++i) {
      int x = min(max(bx + i % 4 + dx, 0), width - 1), y = min(max(by + i / 4 + dy, 0), height - 1);
      sum += abs((int)block[i] - (int)reference[y * width + x]);
    }
    sums[number * POSITIONS + p] = (ushort)sum;
  }
}

KERNEL sad_8x8(const ushort* small, ushort* large, int blocks_x) {
  int number = blockIdx.y * gridDim.x + blockIdx.x, corner = (blockIdx.y * 2) * blocks_x + blockIdx.x * 2;
  for (int p = threadIdx.x; p < POSITIONS; p += blockDim.x)
    large[number * POSITIONS + p] =
        (ushort)(small[corner * POSITIONS + p] + small[(corner + 1) * POSITIONS + p] +
                 small[(corner + blocks_x) * POSITIONS + p] + small[(corner + blocks_x + 1) * POSITIONS + p]);
}
