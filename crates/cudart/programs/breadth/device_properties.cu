/* What a program asks of a device before it begins. */
#include "program.h"

PROGRAM(device_properties) {
  int count, device, threads, value;
  cudaDeviceProp properties;
  CHECK(cudaGetDeviceCount(&count));
  CHECK(cudaSetDevice(0));
  CHECK(cudaGetDevice(&device));
  CHECK(cudaGetDeviceProperties(&properties, device));
  REQUIRE(count == 1 && device == 0 && properties.warpSize == 32 && properties.multiProcessorCount > 0);
  REQUIRE(properties.major > 0 && properties.totalGlobalMem > 0 && strlen(properties.name) > 0);
  CHECK(cudaDeviceGetAttribute(&threads, cudaDevAttrMaxThreadsPerBlock, 0));
  REQUIRE(threads == properties.maxThreadsPerBlock && threads >= 512);
  CHECK(cudaDeviceGetAttribute(&value, cudaDevAttrMaxSharedMemoryPerBlock, 0));
  REQUIRE(value == (int)properties.sharedMemPerBlock);
  size_t free_bytes, total;
  CHECK(cudaMemGetInfo(&free_bytes, &total));
  REQUIRE(free_bytes > 0 && free_bytes <= total);
}
