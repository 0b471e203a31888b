/* Structures by value, with padding and arrays in them. */
#include "program.h"

struct Inner {
  char tag;
  double weight;
};
struct Outer {
  short rank;
  Inner inner[3];
  float scale;
};
__global__ void use(Outer outer, double *out) {
  out[threadIdx.x] = outer.inner[threadIdx.x].weight * outer.scale + outer.inner[threadIdx.x].tag + outer.rank;
}
PROGRAM(structures) {
  Outer outer = {100, {{1, 0.5}, {2, 1.5}, {3, 2.5}}, 2};
  double *out = zeros<double>(3);
  use<<<1, 3>>>(outer, out);
  std::vector<double> got = download(out, 3);
  REQUIRE(got[0] == 102 && got[1] == 105 && got[2] == 108);
}
