/* A radix sort of several launches, one bit each. */
#include "program.h"

__global__ void flags(const unsigned *in, unsigned *zero, int bit, int count) {
  if (ID < count)
    zero[ID] = (in[ID] >> bit & 1) == 0;
}
__global__ void scan(const unsigned *in, unsigned *out, int count) {
  unsigned sum = 0;
  for (int i = 0; i < count; i++) {
    out[i] = sum;
    sum += in[i];
  }
  out[count] = sum;
}
__global__ void scatter(const unsigned *in, const unsigned *zero, const unsigned *before, unsigned *out, int count) {
  if (ID < count)
    out[zero[ID] ? before[ID] : before[count] + ID - before[ID]] = in[ID];
}
PROGRAM(sort_radix) {
  const int count = 200;
  std::vector<unsigned> host(count);
  for (int i = 0; i < count; i++)
    host[i] = i * 131 % 256;
  unsigned *a = upload(host), *b = zeros<unsigned>(count), *zero = zeros<unsigned>(count),
           *before = zeros<unsigned>(count + 1);
  for (int bit = 0; bit < 8; bit++) {
    flags<<<4, 64>>>(a, zero, bit, count);
    scan<<<1, 1>>>(zero, before, count);
    scatter<<<4, 64>>>(a, zero, before, b, count);
    unsigned *t = a;
    a = b;
    b = t;
  }
  std::vector<unsigned> got = download(a, count);
  for (int i = 1; i < count; i++)
    REQUIRE(got[i - 1] <= got[i]);
}
