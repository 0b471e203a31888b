/* Linear filtering and clamped coordinates in a plane of a CUDA array. */
#include "program.h"

__global__ void sample(cudaTextureObject_t texture, float *out) {
  out[threadIdx.x] = tex2D<float>(texture, threadIdx.x * 0.5f, 1.5f);
}
PROGRAM(texture_plane) {
  cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaArray_t array;
  CHECK(cudaMallocArray(&array, &format, 4, 4));
  std::vector<float> host = ramp<float>(16);
  CHECK(cudaMemcpy2DToArray(array, 0, 0, host.data(), 4 * sizeof(float), 4 * sizeof(float), 4,
                            cudaMemcpyHostToDevice));
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaTextureDesc description = {};
  description.addressMode[0] = description.addressMode[1] = cudaAddressModeClamp;
  description.filterMode = cudaFilterModeLinear;
  description.readMode = cudaReadModeElementType;
  cudaTextureObject_t texture;
  CHECK(cudaCreateTextureObject(&texture, &resource, &description, NULL));
  float *out = zeros<float>(12);
  sample<<<1, 12>>>(texture, out);
  std::vector<float> got = download(out, 12);
  for (int i = 0; i < 12; i++) {
    float x = i * 0.5f - 0.5f;
    float expected = 4 + (x < 0 ? 0 : x > 3 ? 3 : x);
    REQUIRE(got[i] == expected);
  }
  CHECK(cudaFreeArray(array));
}
