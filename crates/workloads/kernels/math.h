// Mathematics that PTX has no instruction for, in full single or double precision, and the names of what it has.
// The polynomials are minimax or Taylor expansions on the reduced ranges given at each function; errors are a few units
// in the last place, far inside the tolerance under which a workload is compared with its CPU reference.
#pragma once

// Hardware instructions.
DEV float fabsf(float x) { return __builtin_fabsf(x); }
DEV double fabs(double x) { return __builtin_fabs(x); }
DEV float fminf(float a, float b) { return __builtin_fminf(a, b); }
DEV float fmaxf(float a, float b) { return __builtin_fmaxf(a, b); }
DEV double fmin(double a, double b) { return __builtin_fmin(a, b); }
DEV double fmax(double a, double b) { return __builtin_fmax(a, b); }
DEV float fmaf(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
DEV double fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
DEV float sqrtf(float x) { return __nvvm_sqrt_rn_f(x); }
DEV double sqrt(double x) { return __nvvm_sqrt_rn_d(x); }
DEV float rsqrtf(float x) { return __nvvm_rsqrt_approx_f(x); }
DEV float floorf(float x) { return __builtin_floorf(x); }
DEV float ceilf(float x) { return __builtin_ceilf(x); }
DEV float rintf(float x) { return __builtin_rintf(x); }
DEV double floor(double x) { return __builtin_floor(x); }
DEV double rint(double x) { return __builtin_rint(x); }
DEV float __sinf(float x) { return __nvvm_sin_approx_f(x); }
DEV float __cosf(float x) { return __nvvm_cos_approx_f(x); }
DEV float __exp2f(float x) { return __nvvm_ex2_approx_f(x); }
DEV float __log2f(float x) { return __nvvm_lg2_approx_f(x); }
DEV float __expf(float x) { return __exp2f(x * 1.4426950408889634f); }
DEV float __logf(float x) { return __log2f(x) * 0.69314718055994531f; }
DEV float __fdividef(float a, float b) { return __nvvm_div_approx_f(a, b); }

DEV float power_of_two(int n) { return __int_as_float((n + 127) << 23); }
DEV double power_of_two_64(int n) { return __builtin_bit_cast(double, (long long)(n + 1023) << 52); }

// exp: x = n ln 2 + r with |r| <= ln 2 / 2, then the Taylor series of exp(r).
DEV float expf(float x) {
  if (x > 88.72284f) return __builtin_inff();
  if (x < -87.33655f) return 0.0f;
  float n = rintf(x * 1.4426950408889634f);
  float r = fmaf(n, -0.693359375f, x);
  r = fmaf(n, 2.12194440e-4f, r);
  float p = 1.0f / 5040;
  p = fmaf(p, r, 1.0f / 720);
  p = fmaf(p, r, 1.0f / 120);
  p = fmaf(p, r, 1.0f / 24);
  p = fmaf(p, r, 1.0f / 6);
  p = fmaf(p, r, 0.5f);
  p = fmaf(p, r, 1.0f);
  p = fmaf(p, r, 1.0f);
  int half = (int)n / 2;
  return p * power_of_two(half) * power_of_two((int)n - half);
}

DEV double exp(double x) {
  if (x > 709.78) return __builtin_inf();
  if (x < -708.39) return 0.0;
  double n = rint(x * 1.4426950408889634074);
  double r = fma(n, -6.93147180369123816490e-01, x);
  r = fma(n, -1.90821492927058770002e-10, r);
  double p = 1.0 / 6227020800.0;
  const double terms[] = {1.0 / 479001600, 1.0 / 39916800, 1.0 / 3628800, 1.0 / 362880, 1.0 / 40320, 1.0 / 5040,
                          1.0 / 720,       1.0 / 120,      1.0 / 24,      1.0 / 6,      0.5,         1.0, 1.0};
#pragma unroll
  for (int i = 0; i < 13; ++i) p = fma(p, r, terms[i]);
  int half = (int)n / 2;
  return p * power_of_two_64(half) * power_of_two_64((int)n - half);
}

// log: x = 2^e m with m in [1/sqrt 2, sqrt 2), s = (m - 1) / (m + 1), log m = 2 artanh s.
DEV float logf(float x) {
  if (!(x > 0.0f)) return x == 0.0f ? -__builtin_inff() : __builtin_nanf("");
  if (x == __builtin_inff()) return x;
  int e = 0;
  if (x < 1.17549435e-38f) x *= 16777216.0f, e = -24;
  int bits = __float_as_int(x) - 0x3f3504f3;
  e += bits >> 23;
  float m = __int_as_float((bits & 0x7fffff) + 0x3f3504f3);
  float s = (m - 1.0f) / (m + 1.0f), z = s * s;
  float p = 1.0f / 9;
  p = fmaf(p, z, 1.0f / 7);
  p = fmaf(p, z, 1.0f / 5);
  p = fmaf(p, z, 1.0f / 3);
  p = fmaf(p * z, s, s);
  return fmaf((float)e, 0.69314718f, 2.0f * p);
}

DEV double log(double x) {
  if (!(x > 0.0)) return x == 0.0 ? -__builtin_inf() : __builtin_nan("");
  if (x == __builtin_inf()) return x;
  int e = 0;
  if (x < 2.2250738585072014e-308) x *= 18014398509481984.0, e = -54;
  long long bits = __builtin_bit_cast(long long, x) - 0x3fe6a09e667f3bcdll;
  e += (int)(bits >> 52);
  double m = __builtin_bit_cast(double, (bits & 0xfffffffffffffll) + 0x3fe6a09e667f3bcdll);
  double s = (m - 1.0) / (m + 1.0), z = s * s;
  double p = 1.0 / 21;
#pragma unroll
  for (int k = 19; k >= 3; k -= 2) p = fma(p, z, 1.0 / k);
  p = fma(p * z, s, s);
  return fma((double)e, 0.69314718055994530942, 2.0 * p);
}

// A number as a sum of two, the second below half a unit in the last place of the first.
struct Double2 { double high, low; };
DEV Double2 sum_of(double larger, double smaller) {
  double high = larger + smaller;
  return {high, smaller + (larger - high)};
}
DEV Double2 product_of(Double2 a, Double2 b) {
  double high = a.high * b.high, low = fma(a.high, b.high, -high);
  return sum_of(high, fma(a.low, b.high, fma(a.high, b.low, low)));
}

// x^2 of a finite x >= 0 by way of its logarithm and exponential in two parts each, as a function that is called: what a library's pow
// does that does not look at the exponent. The mantissa m is in [1/sqrt 2, sqrt 2), u = 2 (m - 1) / (m + 1), and log m = u + u^3 / 12 + u^5 / 80 + ….
static __device__ __attribute__((noinline)) double second_power(double x) {
  double y = 2.0;
  asm("" : "+d"(y));
  int e = 0;
  if (x < 2.2250738585072014e-308) x *= 18014398509481984.0, e = -54;
  long long bits = __builtin_bit_cast(long long, x) - 0x3fe6a09e667f3bcdll;
  e += (int)(bits >> 52);
  double m = __builtin_bit_cast(double, (bits & 0xfffffffffffffll) + 0x3fe6a09e667f3bcdll);
  double above = m - 1.0, reciprocal = __nvvm_rcp_approx_ftz_d(m + 1.0);
  double error = fma(-(m + 1.0), reciprocal, 1.0);
  reciprocal = fma(fma(error, error, error), reciprocal, reciprocal);
  Double2 u;
  u.high = 2.0 * (above * reciprocal);
  u.low = reciprocal * fma(-u.high, above, 2.0 * (above - u.high));
  double z = u.high * u.high, p = 1.0 / 4980736;
  p = fma(p, z, 1.0 / 1114112);
  p = fma(p, z, 1.0 / 245760);
  p = fma(p, z, 1.0 / 53248);
  p = fma(p, z, 1.0 / 11264);
  p = fma(p, z, 1.0 / 2304);
  p = fma(p, z, 1.0 / 448);
  p = fma(p, z, 1.0 / 80);
  // 1/12 has a second part, too.
  Double2 factor = sum_of(1.0 / 12, fma(p, z, 4.62592926927148559e-18));
  Double2 rest = product_of(factor, product_of(product_of(u, u), u));
  Double2 of_mantissa = sum_of(u.high, rest.high);
  of_mantissa = sum_of(of_mantissa.high, of_mantissa.low + (rest.low + u.low));
  double whole = (double)e * 6.93147180369123816490e-01;
  Double2 logarithm = sum_of(whole, of_mantissa.high);
  if (e == 0) logarithm = {of_mantissa.high, 0.0};
  // A small power of two and a mantissa near its end: the mantissa's logarithm may be the larger one.
  if (fabs(whole) < fabs(of_mantissa.high)) logarithm = sum_of(of_mantissa.high, whole);
  logarithm = sum_of(logarithm.high, logarithm.low + fma((double)e, 1.90821492927058770002e-10, of_mantissa.low));
  Double2 exponent = product_of(logarithm, {y, 0.0});

  if (exponent.high > 709.78) return __builtin_inf();
  if (exponent.high < -745.2) return 0.0;
  double n = rint(exponent.high * 1.4426950408889634074);
  double r = fma(n, -6.93147180369123816490e-01, exponent.high);
  r = fma(n, -1.90821492927058770002e-10, r);
  double q = 1.0 / 479001600;
  const double terms[] = {1.0 / 39916800, 1.0 / 3628800, 1.0 / 362880, 1.0 / 40320, 1.0 / 5040, 1.0 / 720,
                          1.0 / 120,      1.0 / 24,      1.0 / 6,      0.5,         1.0,        1.0};
#pragma unroll
  for (int i = 0; i < 12; ++i) q = fma(q, r, terms[i]);
  int half = (int)n / 2;
  double power = q * power_of_two_64(half) * power_of_two_64((int)n - half);
  return fma(power, exponent.low, power);
}

// x^2 as a library makes it of pow(x, 2) without knowing the exponent: bases that are negative, zero, infinite or one are told apart.
DEV double pow_of_two(double x) {
  double y = 2.0;
  asm("" : "+d"(y));
  double power = second_power(fabs(x));
  if (x < 0.0 && rint(0.5 * y) != 0.5 * y) power = -power;
  if (x == 0.0) power = y < 0.0 ? __builtin_inf() : 0.0;
  if (x < 0.0 && rint(y) != y) power = __builtin_nan("");
  if (fabs(x + y) == __builtin_inf()) power = y < 0.0 ? 0.0 : x + y;
  return x == 1.0 ? 1.0 : power;
}

DEV float powf(float x, float y) { return (float)exp((double)y * log((double)x)); }

// sin and cos: x = n pi/2 + r with |r| <= pi/4 (three-part reduction, good for |x| below about 10^5).
DEV float reduce_quarter(float x, int* quadrant) {
  float n = rintf(x * 0.63661977236758134f);
  *quadrant = (int)n;
  float r = fmaf(n, -1.5707855225e+00f, x);
  r = fmaf(n, -1.0804273188e-05f, r);
  return fmaf(n, -6.0770999344e-11f, r);
}
DEV float sine_poly(float r) {
  float z = r * r;
  float p = fmaf(z, 2.7557319e-6f, -1.9841270e-4f);
  p = fmaf(p, z, 8.3333333e-3f);
  p = fmaf(p, z, -1.6666667e-1f);
  return fmaf(p * z, r, r);
}
DEV float cosine_poly(float r) {
  float z = r * r;
  float p = fmaf(z, -2.7557319e-7f, 2.4801587e-5f);
  p = fmaf(p, z, -1.3888889e-3f);
  p = fmaf(p, z, 4.1666668e-2f);
  p = fmaf(p, z, -0.5f);
  return fmaf(p, z, 1.0f);
}
DEV float sinf(float x) {
  int q;
  float r = reduce_quarter(x, &q);
  float v = q & 1 ? cosine_poly(r) : sine_poly(r);
  return q & 2 ? -v : v;
}
DEV float cosf(float x) {
  int q;
  float r = reduce_quarter(x, &q);
  float v = q & 1 ? sine_poly(r) : cosine_poly(r);
  return (q + 1) & 2 ? -v : v;
}

DEV double cos(double x) {
  double n = rint(x * 0.63661977236758134308);
  int q = (int)n;
  double r = fma(n, -1.57079632673412561417e+00, x);
  r = fma(n, -6.07710050650619224932e-11, r);
  double z = r * r, odd = 1.0, even = 1.0;
#pragma unroll
  for (int k = 8; k >= 1; --k) {
    odd = fma(odd, -z / ((2 * k) * (2 * k + 1)), 1.0);
    even = fma(even, -z / ((2 * k) * (2 * k - 1)), 1.0);
  }
  double v = q & 1 ? r * odd : even;
  return (q + 1) & 2 ? -v : v;
}
DEV double sin(double x) { return cos(x - 1.57079632679489661923); }

DEV float tanhf(float x) {
  float e = expf(-2.0f * fabsf(x));
  float t = (1.0f - e) / (1.0f + e);
  return x < 0 ? -t : t;
}

// erf by Abramowitz & Stegun 7.1.26 (absolute error 1.5e-7).
DEV float erff(float x) {
  float a = fabsf(x), t = 1.0f / fmaf(0.3275911f, a, 1.0f);
  float p = fmaf(t, 1.061405429f, -1.453152027f);
  p = fmaf(p, t, 1.421413741f);
  p = fmaf(p, t, -0.284496736f);
  p = fmaf(p, t, 0.254829592f);
  float v = 1.0f - p * t * expf(-a * a);
  return x < 0 ? -v : v;
}

// acos by Abramowitz & Stegun 4.4.46 (absolute error 2e-8) on [0, 1], reflected.
DEV float acosf(float x) {
  float a = fabsf(x);
  float p = -0.0012624911f;
  p = fmaf(p, a, 0.0066700901f);
  p = fmaf(p, a, -0.0170881256f);
  p = fmaf(p, a, 0.0308918810f);
  p = fmaf(p, a, -0.0501743046f);
  p = fmaf(p, a, 0.0889789874f);
  p = fmaf(p, a, -0.2145988016f);
  p = fmaf(p, a, 1.5707963050f);
  float v = sqrtf(1.0f - a) * p;
  return x < 0 ? 3.14159265f - v : v;
}
