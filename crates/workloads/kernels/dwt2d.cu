// Integer 5/3 wavelet transform of a picture (JPEG 2000's reversible transform): rows, then columns, a level at a time;
// each thread lifts one pair of samples, with the neighbours it needs read again.
#include "device.h"

// Sample i of a line, mirrored at both ends.
DEV int mirrored(const int* line, int stride, int length, int i) {
  if (i < 0) i = -i;
  if (i >= length) i = 2 * (length - 1) - i;
  return line[i * stride];
}

DEV int detail(const int* line, int stride, int length, int pair) {
  int odd = 2 * pair + 1;
  return mirrored(line, stride, length, odd) -
         ((mirrored(line, stride, length, odd - 1) + mirrored(line, stride, length, odd + 1)) >> 1);
}

DEV void lift(const int* from, int* to, int stride, int length, int pair) {
  int high = detail(from, stride, length, pair);
  int before = pair > 0 ? detail(from, stride, length, pair - 1) : high;
  to[pair * stride] = from[2 * pair * stride] + ((before + high + 2) >> 2);
  to[(length / 2 + pair) * stride] = high;
}

KERNEL dwt_rows(const int* from, int* to, int pitch, int width, int height) {
  int pair = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (pair < width / 2 && y < height) lift(from + y * pitch, to + y * pitch, 1, width, pair);
}

KERNEL dwt_columns(const int* from, int* to, int pitch, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, pair = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && pair < height / 2) lift(from + x, to + x, pitch, height, pair);
}

// Bytes to integers around zero.
KERNEL dwt_load(const uchar* pixels, int* samples, int count) {
  int i = global_id();
  if (i < count) samples[i] = (int)pixels[i] - 128;
}
