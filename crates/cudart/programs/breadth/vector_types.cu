/* Vector types: loads, stores and members. */
#include "program.h"

__global__ void compute(const float4 *in, float4 *out, const short2 *pairs, int2 *sums, const double2 *d, double *e) {
  float4 v = in[threadIdx.x];
  out[threadIdx.x] = make_float4(v.w, v.z, v.y, v.x + 1);
  short2 p = pairs[threadIdx.x];
  sums[threadIdx.x] = make_int2(p.x + p.y, p.x - p.y);
  e[threadIdx.x] = d[threadIdx.x].x * d[threadIdx.x].y;
}
PROGRAM(vector_types) {
  std::vector<float4> in(32);
  std::vector<short2> pairs(32);
  std::vector<double2> d(32);
  for (int i = 0; i < 32; i++) {
    in[i] = make_float4(i, i + 1, i + 2, i + 3);
    pairs[i] = make_short2(i, -3 * i);
    d[i] = make_double2(i, 0.5);
  }
  float4 *out = zeros<float4>(32);
  int2 *sums = zeros<int2>(32);
  double *e = zeros<double>(32);
  compute<<<1, 32>>>(upload(in), out, upload(pairs), sums, upload(d), e);
  std::vector<float4> got = download(out, 32);
  std::vector<int2> s = download(sums, 32);
  std::vector<double> p = download(e, 32);
  for (int i = 0; i < 32; i++)
    REQUIRE(got[i].x == i + 3 && got[i].w == i + 1 && s[i].x == -2 * i && s[i].y == 4 * i && p[i] == 0.5 * i);
}
