/* An assertion that holds, and one that does not. */
#include "program.h"
#include <assert.h>
__global__ void demand(int most) { assert(threadIdx.x < most); }
PROGRAM(assert_kernel) {
  demand<<<1, 32>>>(32);
  CHECK(cudaDeviceSynchronize());
  demand<<<1, 32>>>(31);
  EXPECT(cudaDeviceSynchronize(), cudaErrorAssert);
}
