/* Narrow integers, signed and unsigned. */
#include "program.h"

__global__ void compute(const signed char *a, const unsigned char *b, short *c, unsigned short *d) {
  int i = threadIdx.x;
  c[i] = a[i] * b[i];
  d[i] = (unsigned short)(a[i] - b[i]) >> 1;
}
PROGRAM(bytes_and_shorts) {
  std::vector<signed char> a(64);
  std::vector<unsigned char> b(64);
  for (int i = 0; i < 64; i++) {
    a[i] = (signed char)(i * 5 - 128);
    b[i] = (unsigned char)(i * 3 + 60);
  }
  short *c = zeros<short>(64);
  unsigned short *d = zeros<unsigned short>(64);
  compute<<<1, 64>>>(upload(a), upload(b), c, d);
  std::vector<short> gc = download(c, 64);
  std::vector<unsigned short> gd = download(d, 64);
  for (int i = 0; i < 64; i++)
    REQUIRE(gc[i] == (short)(a[i] * b[i]) && gd[i] == (unsigned short)((unsigned short)(a[i] - b[i]) >> 1));
}
