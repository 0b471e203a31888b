/* A generator of random numbers in every thread. */
#include "program.h"

__device__ unsigned next(unsigned long long &state) {
  unsigned long long old = state;
  state = old * 6364136223846793005ull + 1442695040888963407ull;
  unsigned shifted = (unsigned)(((old >> 18) ^ old) >> 27), turn = (unsigned)(old >> 59);
  return shifted >> turn | shifted << (-turn & 31);
}
__global__ void inside(unsigned *count) {
  unsigned long long state = ID + 1;
  unsigned hits = 0;
  for (int i = 0; i < 64; i++) {
    float x = next(state) * 2.3283064e-10f, y = next(state) * 2.3283064e-10f;
    hits += x * x + y * y < 1;
  }
  atomicAdd(count, hits);
}
PROGRAM(random_numbers) {
  unsigned *count = zeros<unsigned>(1);
  inside<<<8, 128>>>(count);
  double pi = 4.0 * download(count, 1)[0] / (8 * 128 * 64);
  REQUIRE(pi > 3.1 && pi < 3.2);
}
