// Sparse matrix–vector product. SHOC's three kernels: compressed sparse rows with a thread a row and with a warp a row, and ELLPACK-R
// (columns of a matrix padded to the longest row, with row lengths); they read the vector through the texture cache. Parboil's:
// jagged diagonals with rows in order of length, padded in groups of a warp, whose starts and lengths are constant memory; the loads
// of the next entries are issued before an entry is used.
#include "device.h"

#define THREADS 128
#define MOST_DIAGONALS 5000
#define MOST_WARPS 5000

DEV float term(const float* value, const int* column, int i, Texture x) {
  int c = column[i];
  return value[i] * fetch_float(x, c);
}

// The sum over entries `first`, `first` + `step`, … below `end`: single ones until four in a round are left, as compilers unroll it;
// the compiler here does not unroll loops of unknown length around a texture fetch.
DEV float dot(const float* value, const int* column, int first, int end, int step, Texture x) {
  float sum = 0.0f;
  int i = first;
  for (int single = (end - first + step - 1) / step & 3; single > 0; --single, i += step) sum += term(value, column, i, x);
  for (; i < end; i += 4 * step) {
#pragma unroll
    for (int k = 0; k < 4; ++k) sum += term(value, column, i + k * step, x);
  }
  return sum;
}

KERNEL spmv_csr_scalar(const float* __restrict__ value, const int* __restrict__ column, const int* __restrict__ row_start, int rows,
                       float* __restrict__ y, Texture x) {
  int row = global_id();
  if (row >= rows) return;
  y[row] = dot(value, column, row_start[row], row_start[row + 1], 1, x);
}

KERNEL spmv_csr_vector(const float* __restrict__ value, const int* __restrict__ column, const int* __restrict__ row_start, int rows,
                       float* __restrict__ y, Texture x) {
  __shared__ volatile float sums[THREADS];
  int t = threadIdx.x, lane = t & 31, row = blockIdx.x * (blockDim.x / 32) + t / 32;
  if (row >= rows) return;
  sums[t] = dot(value, column, row_start[row] + lane, row_start[row + 1], 32, x);
#pragma unroll
  for (int width = 16; width > 0; width >>= 1)
    if (lane < width) sums[t] += sums[t + width];
  if (lane == 0) y[row] = sums[t];
}

KERNEL spmv_ellpack(const float* __restrict__ value, const int* __restrict__ column, const int* __restrict__ row_length, int rows,
                    float* __restrict__ y, Texture x) {
  int row = global_id();
  if (row >= rows) return;
  y[row] = dot(value, column, row, row + row_length[row] * rows, rows, x);
}

KERNEL spmv_zero(float* y, int rows) {
  int row = global_id();
  if (row < rows) y[row] = 0;
}

__constant__ int diagonal_start[MOST_DIAGONALS], warp_length[MOST_WARPS];

KERNEL spmv_jds(float* y, const float* value, const int* column, const int* permutation, const float* x, int rows) {
  int row = global_id();
  if (row >= rows) return;
  int length = warp_length[row >> 5], at = diagonal_start[0] + row;
  float entry = value[at], factor = x[column[at]], sum = 0.0f;
  if (length > 1) {
    at = diagonal_start[1] + row;
    int next_column = column[at];
    for (int k = 2; k < length; ++k) {
      float next_entry = value[at];
      at = diagonal_start[k] + row;
      int after = column[at];
      float next_factor = x[next_column];
      sum += entry * factor;
      next_column = after;
      entry = next_entry;
      factor = next_factor;
    }
    float last_entry = value[at], last_factor = x[next_column];
    sum += entry * factor;
    entry = last_entry;
    factor = last_factor;
  }
  sum += entry * factor;
  y[permutation[row]] = sum;
}
