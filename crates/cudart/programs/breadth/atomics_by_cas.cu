/* An atomic that is made of compare-and-swap. */
#include "program.h"

__device__ float atomic_multiply(float *address, float factor) {
  int *bits = (int *)address, old = *bits, assumed;
  do {
    assumed = old;
    old = atomicCAS(bits, assumed, __float_as_int(factor * __int_as_float(assumed)));
  } while (assumed != old);
  return __int_as_float(old);
}
__global__ void multiply(float *product) { atomic_multiply(product, 2.0f); }
PROGRAM(atomics_by_cas) {
  float *product = upload(std::vector<float>{1.0f});
  multiply<<<2, 10>>>(product);
  REQUIRE(download(product, 1)[0] == 1048576.0f);
}
