/* Errors of the host, and the last error. */
#include "program.h"

__global__ void nothing() {}
PROGRAM(error_codes) {
  void *address;
  EXPECT(cudaMalloc(&address, (size_t)1 << 50), cudaErrorMemoryAllocation);
  EXPECT(cudaGetLastError(), cudaErrorMemoryAllocation);
  EXPECT(cudaGetLastError(), cudaSuccess);
  EXPECT(cudaSetDevice(99), cudaErrorInvalidDevice);
  nothing<<<1, 2048>>>();
  EXPECT(cudaPeekAtLastError(), cudaErrorInvalidConfiguration);
  EXPECT(cudaGetLastError(), cudaErrorInvalidConfiguration);
  EXPECT(cudaMemcpy(&address, &address, 8, (cudaMemcpyKind)77), cudaErrorInvalidMemcpyDirection);
  EXPECT(cudaEventElapsedTime(NULL, 0, 0), cudaErrorInvalidResourceHandle);
  REQUIRE(strcmp(cudaGetErrorName(cudaErrorInvalidValue), "cudaErrorInvalidValue") == 0);
  REQUIRE(strlen(cudaGetErrorString(cudaErrorIllegalAddress)) > 0);
}
