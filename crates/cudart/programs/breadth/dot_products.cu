/* Dot products of bytes, and sums, differences and comparisons of the parts of a word. */
#include "program.h"

__global__ void compute(const unsigned *a, const unsigned *b, unsigned *out) {
  unsigned x = a[threadIdx.x], y = b[threadIdx.x];
  unsigned *row = out + threadIdx.x * 12;
  row[0] = __dp4a((int)x, (int)y, 5);
  row[1] = __dp4a(x, y, 5u);
  row[2] = __dp2a_lo((int)x, (int)y, 1);
  row[3] = __dp2a_hi(x, y, 1u);
  row[4] = __vadd4(x, y);
  row[5] = __vabsdiffu4(x, y);
  row[6] = __vsadu4(x, y);
  row[7] = __vmaxs2(x, y);
  row[8] = __vcmpgtu4(x, y);
  row[9] = __vaddus2(x, y);
  row[10] = __usad(x, y, 3) + __sad((int)x, (int)y, 3);
  row[11] = __vavgu4(x, y) ^ __vsubss2(x, y);
}
static int signed_byte(unsigned word, int part) { return (signed char)(word >> (8 * part)); }
static unsigned byte(unsigned word, int part) { return word >> (8 * part) & 255; }
PROGRAM(dot_products) {
  std::vector<unsigned> a = {0x01020304, 0xff807f01, 0x80000001}, b = {0x10203040, 0x7fff01ff, 0x00ff8003};
  unsigned *out = zeros<unsigned>(12 * a.size());
  compute<<<1, (int)a.size()>>>(upload(a), upload(b), out);
  std::vector<unsigned> got = download(out, 12 * a.size());
  for (size_t i = 0; i < a.size(); i++) {
    unsigned x = a[i], y = b[i], *row = &got[12 * i];
    int dot = 5, low = 1;
    unsigned unsigned_dot = 5, high = 1, sum = 0, difference = 0, total = 0, greater = 0, average = 0, maximum = 0;
    unsigned saturated = 0, limited = 0;
    for (int part = 0; part < 4; part++) {
      dot += signed_byte(x, part) * signed_byte(y, part);
      unsigned_dot += byte(x, part) * byte(y, part);
      sum |= (byte(x, part) + byte(y, part) & 255) << 8 * part;
      unsigned distance = abs((int)byte(x, part) - (int)byte(y, part));
      difference |= distance << 8 * part;
      total += distance;
      greater |= (byte(x, part) > byte(y, part) ? 255u : 0u) << 8 * part;
      average |= (byte(x, part) + byte(y, part) + 1) / 2 << 8 * part;
    }
    for (int part = 0; part < 2; part++) {
      short p = (short)(x >> 16 * part), q = (short)(y >> 16 * part);
      low += p * signed_byte(y, part);
      high += (unsigned short)p * byte(y, 2 + part);
      maximum |= (unsigned)(unsigned short)(p > q ? p : q) << 16 * part;
      unsigned added = (unsigned short)p + (unsigned short)q;
      saturated |= (added > 0xffff ? 0xffff : added) << 16 * part;
      int less = p - q;
      limited |= (unsigned)(unsigned short)(less > 32767 ? 32767 : less < -32768 ? -32768 : less) << 16 * part;
    }
    unsigned distance = x > y ? x - y : y - x, signed_distance = (int)x > (int)y ? x - y : y - x;
    REQUIRE(row[0] == (unsigned)dot && row[1] == unsigned_dot && row[2] == (unsigned)low && row[3] == high);
    REQUIRE(row[4] == sum && row[5] == difference && row[6] == total && row[7] == maximum && row[8] == greater);
    REQUIRE(row[9] == saturated && row[10] == distance + 3 + signed_distance + 3 && row[11] == (average ^ limited));
  }
}
