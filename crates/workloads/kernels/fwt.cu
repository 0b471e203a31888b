// Dyadic convolution by fast Walsh–Hadamard transforms, as the CUDA SDK's sample: radix-4 passes over global memory while a
// sub-vector exceeds 2^11 elements, then the rest of every sub-vector in shared memory, and a kernel that multiplies two spectra.
#include "device.h"

DEV void butterfly(float* out, const float* in, int first, int stride) {
  int second = first + stride, third = second + stride, fourth = third + stride;
  float a = in[first], b = in[second], c = in[third], d = in[fourth];
  float ac = a + c, bd = b + d, a_c = a - c, b_d = b - d;
  out[first] = ac + bd;
  out[second] = ac - bd;
  out[third] = a_c + b_d;
  out[fourth] = a_c - b_d;
}

// One radix-4 pass, here in place; blockIdx.y is the sub-vector.
KERNEL fwt_pass(float* out, float* in, int stride) {
  int position = global_id(), count = global_threads() * 4;
  int low = position & (stride - 1), base = blockIdx.y * count;
  butterfly(out + base, in + base, ((position - low) << 2) + low, stride);
}

// A sub-vector of 2^log2 elements by a quarter as many threads; the last stage is radix-2 when log2 is odd.
KERNEL fwt_shared(float* out, float* in, int log2) {
  extern __shared__ float part[];
  int count = 1 << log2, base = blockIdx.x << log2;
  const float* from = in + base;
  float* to = out + base;
#pragma unroll 4
  for (int i = threadIdx.x; i < count; i += blockDim.x) part[i] = from[i];
  int position = threadIdx.x;
  for (int stride = count >> 2; stride > 0; stride >>= 2) {
    int low = position & (stride - 1), first = ((position - low) << 2) + low;
    __syncthreads();
    butterfly(part, part, first, stride);
  }
  if (log2 & 1) {
    __syncthreads();
    for (int i = threadIdx.x; i < count / 2; i += blockDim.x) {
      float a = part[2 * i], b = part[2 * i + 1];
      part[2 * i] = a + b;
      part[2 * i + 1] = a - b;
    }
  }
  __syncthreads();
#pragma unroll 4
  for (int i = threadIdx.x; i < count; i += blockDim.x) to[i] = part[i];
}

KERNEL fwt_modulate(float* a, const float* b, int count) {
  float scale = 1.0f / (float)count;
  for (int i = global_id(); i < count; i += global_threads()) a[i] *= b[i] * scale;
}
