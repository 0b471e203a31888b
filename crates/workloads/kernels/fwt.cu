// Fast Walsh–Hadamard transform: radix-4 passes over global memory while the strides are long, then the rest of every
// sub-vector in shared memory.
#include "device.h"

#define LOCAL 1024

KERNEL fwt_pass(float* data, int quarter, int stride) {
  int i = global_id();
  if (i >= quarter) return;
  int low = i & (stride - 1), base = (i - low) * 4 + low;
  float a = data[base], b = data[base + stride], c = data[base + 2 * stride], d = data[base + 3 * stride];
  float ac = a + c, bd = b + d, a_c = a - c, b_d = b - d;
  data[base] = ac + bd;
  data[base + stride] = ac - bd;
  data[base + 2 * stride] = a_c + b_d;
  data[base + 3 * stride] = a_c - b_d;
}

KERNEL fwt_local(float* data) {
  __shared__ float s[LOCAL];
  int base = blockIdx.x * LOCAL;
  for (int i = threadIdx.x; i < LOCAL; i += blockDim.x) s[i] = data[base + i];
  for (int stride = LOCAL / 2; stride > 0; stride >>= 1) {
    __syncthreads();
    for (int i = threadIdx.x; i < LOCAL / 2; i += blockDim.x) {
      int low = i & (stride - 1), at = (i - low) * 2 + low;
      float a = s[at], b = s[at + stride];
      s[at] = a + b;
      s[at + stride] = a - b;
    }
  }
  __syncthreads();
  for (int i = threadIdx.x; i < LOCAL; i += blockDim.x) data[base + i] = s[i];
}
