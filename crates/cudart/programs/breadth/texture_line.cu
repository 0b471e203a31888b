/* A texture object over a line of memory. */
#include "program.h"

__global__ void fetch(cudaTextureObject_t texture, float *out) { out[ID] = tex1Dfetch<float>(texture, 63 - ID); }
PROGRAM(texture_line) {
  float *data = upload(ramp<float>(64)), *out = zeros<float>(64);
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear.devPtr = data;
  resource.res.linear.desc = cudaCreateChannelDesc<float>();
  resource.res.linear.sizeInBytes = 64 * sizeof(float);
  cudaTextureDesc description = {};
  description.readMode = cudaReadModeElementType;
  cudaTextureObject_t texture;
  CHECK(cudaCreateTextureObject(&texture, &resource, &description, NULL));
  fetch<<<2, 32>>>(texture, out);
  std::vector<float> got = download(out, 64);
  for (int i = 0; i < 64; i++)
    REQUIRE(got[i] == 63 - i);
  CHECK(cudaDestroyTextureObject(texture));
}
