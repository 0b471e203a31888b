// Motion search of a video encoder as Parboil's sad: sums of absolute differences of 4 × 4 blocks over 33 × 33 search positions, then
// those of the larger blocks from them. Pixels are 16 bits; the reference frame is a texture, whose edge continues outside. The sums
// of the seven block shapes lie in one array: 16 × 16, 16 × 8, 8 × 16, 8 × 8, 8 × 4, 4 × 8, 4 × 4, each ordered by macroblock.
#include "device.h"

#define REACH 16
#define SIDE (2 * REACH + 1)
#define POSITIONS (SIDE * SIDE)
#define PADDED 1096
#define PER_THREAD 18

// nvcc makes this of abs of a sum of 16 bits; PTX has an instruction for 32 bits.
DEV ushort magnitude(int difference) {
  int sign = difference >> 31;
  asm("" : "+r"(sign));
  ushort sum = difference + sign, ones = sign;
  asm("" : "+h"(sum), "+h"(ones));
  return sum ^ ones;
}

// A thread block takes a 4 × 4 block, a thread 18 positions of a line or two, three at a time.
KERNEL sad_4x4(ushort* sums, const ushort* frame, int macroblocks_x, int macroblocks_y, Texture reference) {
  __shared__ ushort block[16];
  extern __shared__ __attribute__((aligned(8))) ushort found[];
  int t = threadIdx.x, x = blockIdx.x << 2, y = blockIdx.y << 2, width = macroblocks_x * 16;
  if (t < 16) block[t] = frame[(y + (t >> 2)) * width + x + (t & 3)];
  __syncthreads();
  int first = t * PER_THREAD, end = min(first + PER_THREAD, POSITIONS), line = first / SIDE;
  int column = first - line * SIDE, row = y - REACH + line;
  for (int position = first; position < end; position += 3) {
    ushort sum[3] = {0, 0, 0};
#pragma unroll
    for (int v = 0; v < 4; ++v)
#pragma unroll
      for (int u = 0; u < 6; ++u) {
        int other = (ushort)fetch_plane_uint(reference, x - REACH + column + u, row + v);
#pragma unroll
        for (int k = 0; k < 3; ++k)
          if (u >= k && u - k < 4) sum[k] += magnitude(other - block[v * 4 + u - k]);
      }
#pragma unroll
    for (int k = 0; k < 3; ++k) found[position + k] = sum[k];
    column += 3;
    if (column >= SIDE) {
      column -= SIDE;
      ++row;
    }
  }
  __syncthreads();
  if (t < 32) {
    int macroblock = (blockIdx.y >> 2) * macroblocks_x + (blockIdx.x >> 2), inside = 4 * (blockIdx.y & 3) + (blockIdx.x & 3);
    uint2* out = (uint2*)(sums + (macroblocks_x * macroblocks_y * 25 + macroblock * 16 + inside) * PADDED);
    for (int i = t; i < PADDED / 4; i += 32) out[i] = ((uint2*)found)[i];
  }
}

// Two sums of 16 bits are added as one number of 32 bits: none overflows.
struct Quad { uint nw, ne, sw, se; };
DEV Quad load_quad(const ushort* sums, int position, int next, int below) {
  const uint* pairs = (const uint*)sums;
  int step = PADDED / 2;
  return {pairs[position], pairs[position + next * step], pairs[position + below * step], pairs[position + (below + next) * step]};
}

KERNEL sad_8x8(ushort* sums, int macroblocks_x, int macroblocks_y) {
  int quarter_x = threadIdx.y & 1, quarter_y = threadIdx.y >> 1, all = macroblocks_x * macroblocks_y;
  int macroblock = blockIdx.y * macroblocks_x + blockIdx.x;
  const ushort* in = sums + (all * 25 + macroblock * 16 + quarter_y * 8 + quarter_x * 2) * PADDED;
  uint* tall = (uint*)(sums + (all * 17 + macroblock * 8 + quarter_y * 4 + quarter_x * 2) * PADDED);
  uint* wide = (uint*)(sums + (all * 9 + macroblock * 8 + quarter_y * 4 + quarter_x) * PADDED);
  uint* square = (uint*)(sums + (all * 5 + macroblock * 4 + quarter_y * 2 + quarter_x) * PADDED);
  for (int position = threadIdx.x; position < (POSITIONS + 1) / 2; position += 32) {
    Quad quad = load_quad(in, position, 1, 4);
    tall[position] = quad.nw + quad.sw;
    tall[position + PADDED / 2] = quad.ne + quad.se;
    wide[position] = quad.nw + quad.ne;
    wide[position + 2 * PADDED / 2] = quad.sw + quad.se;
    square[position] = (quad.nw + quad.ne) + (quad.sw + quad.se);
  }
}

KERNEL sad_16x16(ushort* sums, int macroblocks_x, int macroblocks_y) {
  int all = macroblocks_x * macroblocks_y, macroblock = blockIdx.y * macroblocks_x + blockIdx.x;
  const ushort* in = sums + (all * 5 + macroblock * 4) * PADDED;
  uint* tall = (uint*)(sums + (all * 3 + macroblock * 2) * PADDED);
  uint* wide = (uint*)(sums + (all + macroblock * 2) * PADDED);
  uint* square = (uint*)(sums + macroblock * PADDED);
  for (int position = threadIdx.x; position < (POSITIONS + 1) / 2; position += 32) {
    Quad quad = load_quad(in, position, 1, 2);
    tall[position] = quad.nw + quad.sw;
    tall[position + PADDED / 2] = quad.ne + quad.se;
    wide[position] = quad.nw + quad.ne;
    wide[position + PADDED / 2] = quad.sw + quad.se;
    square[position] = (quad.nw + quad.ne) + (quad.sw + quad.se);
  }
}
