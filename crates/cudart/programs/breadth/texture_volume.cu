/* A texture of three dimensions over a CUDA array. */
#include "program.h"

__global__ void sample(cudaTextureObject_t texture, float *out) {
  out[ID] = tex3D<float>(texture, ID % 4 + 0.5f, ID / 4 % 4 + 0.5f, ID / 16 + 0.5f);
}
PROGRAM(texture_volume) {
  cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaArray_t array;
  cudaExtent extent = make_cudaExtent(4, 4, 4);
  CHECK(cudaMalloc3DArray(&array, &format, extent));
  std::vector<float> host = ramp<float>(64, 7.0f);
  cudaMemcpy3DParms copy = {};
  copy.srcPtr = make_cudaPitchedPtr(host.data(), 4 * sizeof(float), 4, 4);
  copy.dstArray = array;
  copy.extent = extent;
  copy.kind = cudaMemcpyHostToDevice;
  CHECK(cudaMemcpy3D(&copy));
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaTextureDesc description = {};
  description.filterMode = cudaFilterModePoint;
  cudaTextureObject_t texture;
  CHECK(cudaCreateTextureObject(&texture, &resource, &description, NULL));
  float *out = zeros<float>(64);
  sample<<<2, 32>>>(texture, out);
  REQUIRE(download(out, 64) == host);
}
