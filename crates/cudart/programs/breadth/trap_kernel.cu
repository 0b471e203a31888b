/* A kernel that stops the program's work, and the device after it. */
#include "program.h"

__global__ void stop(int at) {
  if ((int)threadIdx.x == at)
    __trap();
}
PROGRAM(trap_kernel) {
  stop<<<1, 32>>>(99);
  CHECK(cudaDeviceSynchronize());
  stop<<<1, 32>>>(7);
  EXPECT(cudaDeviceSynchronize(), cudaErrorLaunchFailure);
  void *address;
  EXPECT(cudaMalloc(&address, 4), cudaErrorLaunchFailure);
  CHECK(cudaDeviceReset());
  CHECK(cudaMalloc(&address, 4));
}
