/* Products of small matrices by tensor units: halves into floats, bytes into integers. */
#include "program.h"
#include <cuda_fp16.h>
#include <mma.h>

__global__ void halves(const __half *a, const __half *b, float *c) {
  using namespace nvcuda::wmma;
  fragment<matrix_a, 16, 16, 16, __half, row_major> left;
  fragment<matrix_b, 16, 16, 16, __half, col_major> right;
  fragment<accumulator, 16, 16, 16, float> sum;
  fill_fragment(sum, 1.0f);
  for (int k = 0; k < 32; k += 16) {
    load_matrix_sync(left, a + k, 32);
    load_matrix_sync(right, b + k, 32);
    mma_sync(sum, left, right, sum);
  }
  for (int i = 0; i < sum.num_elements; i++)
    sum.x[i] *= 2;
  store_matrix_sync(c, sum, 16, mem_row_major);
}
__global__ void bytes(const signed char *a, const signed char *b, int *c) {
  using namespace nvcuda::wmma;
  fragment<matrix_a, 8, 32, 16, signed char, row_major> left;
  fragment<matrix_b, 8, 32, 16, signed char, row_major> right;
  fragment<accumulator, 8, 32, 16, int> sum;
  fill_fragment(sum, 0);
  load_matrix_sync(left, a, 16);
  load_matrix_sync(right, b, 32);
  mma_sync(sum, left, right, sum);
  store_matrix_sync(c, sum, 8, mem_col_major);
}
PROGRAM(tensor_tiles) {
  std::vector<__half> a, b;
  for (int i = 0; i < 16 * 32; i++) {
    a.push_back(__float2half(i % 7 - 3));
    b.push_back(__float2half(i % 5 - 2));
  }
  float *c = zeros<float>(256);
  halves<<<1, 32>>>(upload(a), upload(b), c);
  std::vector<float> products = download(c, 256);
  for (int i = 0; i < 256; i++) {
    float sum = 1;
    for (int k = 0; k < 32; k++)
      sum += __half2float(a[i / 16 * 32 + k]) * __half2float(b[i % 16 * 32 + k]);
    REQUIRE(products[i] == 2 * sum);
  }
  std::vector<signed char> p, q;
  for (int i = 0; i < 8 * 16; i++)
    p.push_back(i * 5 % 256 - 128);
  for (int i = 0; i < 16 * 32; i++)
    q.push_back(i * 11 % 256 - 128);
  int *d = zeros<int>(256);
  bytes<<<1, 32>>>(upload(p), upload(q), d);
  std::vector<int> integers = download(d, 256);
  for (int row = 0; row < 8; row++)
    for (int column = 0; column < 32; column++) {
      int sum = 0;
      for (int k = 0; k < 16; k++)
        sum += p[row * 16 + k] * q[k * 32 + column];
      REQUIRE(integers[column * 8 + row] == sum);
    }
}
