// Sparse matrix–vector product in two layouts: compressed sparse rows with a warp a row, and jagged diagonals (rows sorted
// by length, columns of the jagged matrix contiguous) with a row a thread, as Parboil's spmv.
#include "device.h"

KERNEL spmv_csr(const int* row, const int* col, const float* value, const float* x, float* y, int rows) {
  __shared__ volatile float sums[256];
  int lane = threadIdx.x & 31, r = global_id() >> 5;
  if (r >= rows) return;
  float sum = 0.0f;
  for (int i = row[r] + lane; i < row[r + 1]; i += 32) sum += value[i] * x[col[i]];
  sums[threadIdx.x] = sum;
  for (int width = 16; width > 0; width >>= 1) {
    float other = sums[(threadIdx.x & ~31) | ((lane + width) & 31)];
    __syncwarp();
    if (lane < width) sums[threadIdx.x] = sum = sum + other;
    __syncwarp();
  }
  if (lane == 0) y[r] = sum;
}

KERNEL spmv_jds(const int* diagonal, const int* length, const int* permutation, const int* col, const float* value,
                const float* x, float* y, int rows) {
  int r = global_id();
  if (r >= rows) return;
  float sum = 0.0f;
  for (int k = 0; k < length[r]; ++k) {
    int at = diagonal[k] + r;
    sum += value[at] * x[col[at]];
  }
  y[permutation[r]] = sum;
}
