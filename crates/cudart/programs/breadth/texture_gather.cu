/* The four texels around a place, and what they were read from. */
#include "program.h"

__global__ void gather(cudaTextureObject_t texture, float4 *out) {
  out[threadIdx.x] = tex2Dgather<float4>(texture, threadIdx.x + 1.0f, 2.0f, 0);
}
PROGRAM(texture_gather) {
  cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaArray_t array;
  CHECK(cudaMallocArray(&array, &format, 8, 4, cudaArrayTextureGather));
  std::vector<float> host = ramp<float>(32);
  CHECK(cudaMemcpy2DToArray(array, 0, 0, host.data(), 32, 32, 4, cudaMemcpyHostToDevice));
  cudaResourceDesc resource = {}, same = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaTextureDesc description = {}, again = {};
  description.addressMode[0] = description.addressMode[1] = cudaAddressModeClamp;
  cudaTextureObject_t texture;
  CHECK(cudaCreateTextureObject(&texture, &resource, &description, NULL));
  CHECK(cudaGetTextureObjectResourceDesc(&same, texture));
  CHECK(cudaGetTextureObjectTextureDesc(&again, texture));
  REQUIRE(same.resType == cudaResourceTypeArray && same.res.array.array == array);
  REQUIRE(again.addressMode[1] == cudaAddressModeClamp);
  float4 *out = zeros<float4>(6);
  gather<<<1, 6>>>(texture, out);
  std::vector<float4> got = download(out, 6);
  // Lower left, lower right, upper right, upper left.
  for (int i = 0; i < 6; i++)
    REQUIRE(got[i].x == 16 + i && got[i].y == 17 + i && got[i].z == 9 + i && got[i].w == 8 + i);
}
