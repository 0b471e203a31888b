/* Bytes read as fractions, with normalised and wrapped coordinates. */
#include "program.h"

__global__ void sample(cudaTextureObject_t texture, float *out) {
  out[threadIdx.x] = tex2D<float>(texture, (threadIdx.x + 0.5f) / 4, 0.5f);
}
PROGRAM(texture_normalised) {
  cudaChannelFormatDesc format = cudaCreateChannelDesc<unsigned char>();
  cudaArray_t array;
  CHECK(cudaMallocArray(&array, &format, 4, 1));
  unsigned char host[4] = {0, 51, 102, 255};
  CHECK(cudaMemcpy2DToArray(array, 0, 0, host, 4, 4, 1, cudaMemcpyHostToDevice));
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaTextureDesc description = {};
  description.addressMode[0] = description.addressMode[1] = cudaAddressModeWrap;
  description.filterMode = cudaFilterModePoint;
  description.readMode = cudaReadModeNormalizedFloat;
  description.normalizedCoords = 1;
  cudaTextureObject_t texture;
  CHECK(cudaCreateTextureObject(&texture, &resource, &description, NULL));
  float *out = zeros<float>(8);
  sample<<<1, 8>>>(texture, out);
  std::vector<float> got = download(out, 8);
  for (int i = 0; i < 8; i++)
    REQUIRE(got[i] == host[i % 4] / 255.0f);
}
