// One decode step of attention over a bf16 key/value cache: a block a head; scores, a stable softmax in shared memory,
// then the weighted sum of the values.
#include "device.h"

#define HEAD 64
#define LONGEST 2048

DEV float widen(ushort bits) { return __uint_as_float((uint)bits << 16); }

KERNEL attention(const float* query, const ushort* keys, const ushort* values, float* out, int length, float scale) {
  __shared__ float score[LONGEST];
  __shared__ float q[HEAD], reduced[256];
  int head = blockIdx.x, t = threadIdx.x;
  const ushort* k = keys + (size_t)head * length * HEAD;
  const ushort* v = values + (size_t)head * length * HEAD;
  if (t < HEAD) q[t] = query[head * HEAD + t] * scale;
  __syncthreads();
  float most = -3.402823466e+38f;
  for (int i = t; i < length; i += blockDim.x) {
    float sum = 0.0f;
    for (int d = 0; d < HEAD; ++d) sum = fmaf(q[d], widen(k[i * HEAD + d]), sum);
    score[i] = sum;
    most = fmaxf(most, sum);
  }
  reduced[t] = most;
  __syncthreads();
  for (int width = blockDim.x / 2; width > 0; width >>= 1) {
    if (t < width) reduced[t] = fmaxf(reduced[t], reduced[t + width]);
    __syncthreads();
  }
  most = reduced[0];
  __syncthreads();
  float total = 0.0f;
  for (int i = t; i < length; i += blockDim.x) {
    score[i] = expf(score[i] - most);
    total += score[i];
  }
  reduced[t] = total;
  __syncthreads();
  for (int width = blockDim.x / 2; width > 0; width >>= 1) {
    if (t < width) reduced[t] += reduced[t + width];
    __syncthreads();
  }
  total = reduced[0];
  __syncthreads();
  int column = t % HEAD, part = t / HEAD, parts = blockDim.x / HEAD;
  float sum = 0.0f;
  for (int i = part; i < length; i += parts) sum = fmaf(score[i], widen(v[i * HEAD + column]), sum);
  reduced[t] = sum;
  __syncthreads();
  if (t < HEAD) {
    for (int p = 1; p < parts; ++p) sum += reduced[p * HEAD + t];
    out[head * HEAD + t] = sum / total;
  }
}
