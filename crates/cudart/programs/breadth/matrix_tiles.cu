/* A product of matrices by tiles in shared memory. */
#include "program.h"

#define SIDE 16
__global__ void multiply(const float *a, const float *b, float *c, int n) {
  __shared__ float ta[SIDE][SIDE], tb[SIDE][SIDE];
  int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * SIDE + y, column = blockIdx.x * SIDE + x;
  float sum = 0;
  for (int tile = 0; tile < n; tile += SIDE) {
    ta[y][x] = a[row * n + tile + x];
    tb[y][x] = b[(tile + y) * n + column];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < SIDE; k++)
      sum += ta[y][k] * tb[k][x];
    __syncthreads();
  }
  c[row * n + column] = sum;
}
PROGRAM(matrix_tiles) {
  const int n = 48;
  std::vector<float> a(n * n), b(n * n);
  for (int i = 0; i < n * n; i++) {
    a[i] = i % 7 - 3;
    b[i] = i % 5 - 2;
  }
  float *c = zeros<float>(n * n);
  multiply<<<dim3(3, 3), dim3(SIDE, SIDE)>>>(upload(a), upload(b), c, n);
  std::vector<float> got = download(c, n * n);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      float sum = 0;
      for (int k = 0; k < n; k++)
        sum += a[i * n + k] * b[k * n + j];
      REQUIRE(got[i * n + j] == sum);
    }
}
