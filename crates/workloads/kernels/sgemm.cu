// C = alpha A Bᵀ + beta C with register tiling, as Parboil's sgemm: A and C by columns, B transposed. A block computes
// 128 × 16 of C; each thread keeps 16 sums in registers and a tile of B passes through shared memory.
#include "device.h"

#define TILE_N 16
#define TILE_K 8

KERNEL sgemm(const float* a, int lda, const float* b, int ldb, float* c, int ldc, int k, float alpha, float beta) {
  __shared__ float tile[TILE_K][TILE_N];
  float sums[TILE_N];
#pragma unroll
  for (int i = 0; i < TILE_N; ++i) sums[i] = 0.0f;
  int t = threadIdx.y * TILE_N + threadIdx.x, m = blockIdx.x * (TILE_N * TILE_K) + t, n = blockIdx.y * TILE_N;
  for (int i = 0; i < k; i += TILE_K) {
    tile[threadIdx.y][threadIdx.x] = b[n + threadIdx.x + (i + threadIdx.y) * ldb];
    __syncthreads();
#pragma unroll
    for (int j = 0; j < TILE_K; ++j) {
      float value = a[m + (i + j) * lda];
#pragma unroll
      for (int s = 0; s < TILE_N; ++s) sums[s] += value * tile[j][s];
    }
    __syncthreads();
  }
#pragma unroll
  for (int s = 0; s < TILE_N; ++s) {
    int at = m + (n + s) * ldc;
    c[at] = c[at] * beta + alpha * sums[s];
  }
}
