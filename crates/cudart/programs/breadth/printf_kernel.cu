/* printf in a kernel, with all kinds of arguments. */
#include "program.h"

__global__ void say(const char *) {
  if (threadIdx.x == 1)
    printf("%d %u %x %c %s %5.2f %e %lld %p %%\n", -5, 7u, 255, 'q', "text", 2.5, 1e10, 1ll << 40, (void *)0);
}
PROGRAM(printf_kernel) {
  say<<<1, 2>>>(NULL);
  CHECK(cudaDeviceSynchronize());
}
