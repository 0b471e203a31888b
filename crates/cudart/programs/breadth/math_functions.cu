/* Mathematical functions that need tables, loops or several results, and roundings by name. */
#include "program.h"
#include <math.h>

const int ROWS = 24;
__global__ void compute(const double *in, double *out) {
  double x = in[threadIdx.x], whole, fraction;
  int exponent, quotient;
  double *row = out + threadIdx.x * ROWS;
  row[0] = lgamma(x), row[1] = tgamma(x), row[2] = erfc(x), row[3] = j0(x), row[4] = cbrt(x), row[5] = expm1(x);
  row[6] = log1p(x), row[7] = asinh(x), row[8] = tanh(x), row[9] = nextafter(x, 9.0), row[10] = remquo(x, 0.7, &quotient);
  row[11] = quotient & 7;
  row[12] = frexp(x, &exponent), row[13] = exponent, row[14] = ldexp(x, 5), row[15] = modf(x, &whole), row[16] = whole;
  row[17] = logb(x), row[18] = rint(x), row[19] = lround(x), row[20] = copysign(x, -1.0), row[21] = fdim(x, 1.0);
  row[22] = ilogb(x), row[23] = remainder(x, 0.3);
}
__global__ void round_by_name(float a, float b, double c, double d, float *f, double *g) {
  f[0] = __fadd_rd(a, b), f[1] = __fadd_ru(a, b), f[2] = __fmul_rz(a, b), f[3] = __fdiv_ru(a, b), f[4] = __fsqrt_rd(a);
  f[5] = __frcp_rn(a), f[6] = __saturatef(a), f[7] = __float2int_rd(-1.5f), f[8] = __float2int_ru(-1.5f), f[9] = __int2float_rz(16777217);
  g[0] = __dadd_rd(c, d), g[1] = __ddiv_ru(c, d), g[2] = __hiloint2double(0x40080000, 0), g[3] = __double2hiint(c);
  g[4] = __ll2double_rd((1ll << 60) + 1), g[5] = __longlong_as_double(__double_as_longlong(d)), g[6] = sinpi(0.5), g[7] = rhypot(3.0, 4.0);
}
PROGRAM(math_functions) {
  std::vector<double> host = {0.1, 0.5, 1.5, 2.25, 3.75, 6.5};
  int count = (int)host.size();
  double *out = zeros<double>(count * ROWS);
  compute<<<1, count>>>(upload(host), out);
  std::vector<double> got = download(out, count * ROWS);
  for (int i = 0; i < count; i++) {
    double x = host[i], whole, *row = &got[i * ROWS];
    int exponent, quotient;
    double rest = remquo(x, 0.7, &quotient), mantissa = frexp(x, &exponent), fraction = modf(x, &whole);
    double expected[ROWS] = {lgamma(x), tgamma(x), erfc(x), j0(x), cbrt(x), expm1(x), log1p(x), asinh(x), tanh(x), nextafter(x, 9.0), rest,
                             (double)(quotient & 7), mantissa, (double)exponent, ldexp(x, 5), fraction, whole, logb(x), rint(x),
                             (double)lround(x), copysign(x, -1.0), fdim(x, 1.0), (double)ilogb(x), remainder(x, 0.3)};
    for (int k = 0; k < ROWS; k++)
      REQUIRE(fabs(row[k] - expected[k]) <= 1e-12 * (1 + fabs(expected[k])));
  }
  float *f = zeros<float>(10);
  double *g = zeros<double>(8);
  round_by_name<<<1, 1>>>(1.0f, 3e-9f, 1.0, 3.0, f, g);
  std::vector<float> floats = download(f, 10);
  std::vector<double> doubles = download(g, 8);
  REQUIRE(floats[0] == 1 && floats[1] == nextafterf(1, 2) && floats[2] == 3e-9f && floats[5] == 1 && floats[6] == 1);
  REQUIRE(floats[3] >= 1 / 3e-9 && floats[3] <= 1 / 3e-9 * (1 + 1e-6) && floats[4] == 1);
  REQUIRE(floats[7] == -2 && floats[8] == -1 && floats[9] == 16777216);
  REQUIRE(doubles[0] == 4 && doubles[1] > 1.0 / 3 && doubles[1] - 1.0 / 3 < 1e-15 && doubles[2] == 3 && doubles[3] == 0x3ff00000);
  REQUIRE(doubles[4] == 1152921504606846976.0 && doubles[5] == 3 && doubles[6] == 1 && fabs(doubles[7] - 0.2) < 1e-15);
}
