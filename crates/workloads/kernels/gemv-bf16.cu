// y = W x with bf16 weights, as a language model streams its weights to decode one token: a warp a row, 16 bytes a lane.
#include "device.h"

DEV float low(uint pair) { return __uint_as_float(pair << 16); }
DEV float high(uint pair) { return __uint_as_float(pair & 0xffff0000u); }

KERNEL gemv_bf16(const uint4* weights, const float* x, float* y, int rows, int columns) {
  int lane = threadIdx.x & 31, row = global_id() >> 5;
  if (row >= rows) return;
  int groups = columns / 8;
  float sum = 0.0f;
  for (int g = lane; g < groups; g += 32) {
    uint4 w = weights[(size_t)row * groups + g];
    const float* v = x + g * 8;
    sum = fmaf(low(w.x), v[0], fmaf(high(w.x), v[1], sum));
    sum = fmaf(low(w.y), v[2], fmaf(high(w.y), v[3], sum));
    sum = fmaf(low(w.z), v[4], fmaf(high(w.z), v[5], sum));
    sum = fmaf(low(w.w), v[6], fmaf(high(w.w), v[7], sum));
  }
  for (int width = 16; width > 0; width >>= 1) sum += shuffle_down(sum, width);
  if (lane == 0) y[row] = sum;
}
