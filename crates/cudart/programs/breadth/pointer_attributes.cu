/* Whose memory an address is. */
#include "program.h"

PROGRAM(pointer_attributes) {
  int *device = zeros<int>(4), *pinned, *managed, own;
  CHECK(cudaMallocHost((void **)&pinned, 16));
  CHECK(cudaMallocManaged((void **)&managed, 16));
  cudaPointerAttributes attributes;
  CHECK(cudaPointerGetAttributes(&attributes, device));
  REQUIRE(attributes.type == cudaMemoryTypeDevice && attributes.device == 0);
  CHECK(cudaPointerGetAttributes(&attributes, pinned + 1));
  REQUIRE(attributes.type == cudaMemoryTypeHost);
  CHECK(cudaPointerGetAttributes(&attributes, managed));
  REQUIRE(attributes.type == cudaMemoryTypeManaged);
  CHECK(cudaPointerGetAttributes(&attributes, &own));
  REQUIRE(attributes.type == cudaMemoryTypeUnregistered);
}
