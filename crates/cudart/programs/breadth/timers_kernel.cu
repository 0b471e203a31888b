/* Clocks that a kernel reads, and waiting for some time. */
#include "program.h"

__global__ void wait(unsigned long long *out) {
  unsigned long long before, after;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(before));
  long long start = clock64();
  unsigned low = clock();
  for (int i = 0; i < 10; i++)
    __nanosleep(100);
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(after));
  out[0] = after - before;
  out[1] = clock64() - start;
  out[2] = clock() - low;
}
PROGRAM(timers_kernel) {
  unsigned long long *out = zeros<unsigned long long>(3);
  wait<<<1, 1>>>(out);
  std::vector<unsigned long long> got = download(out, 3);
  REQUIRE(got[1] > 0 && got[2] > 0 && got[2] >= got[1]);
}
