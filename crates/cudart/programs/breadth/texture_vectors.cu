/* Texels of four bytes and a pitched plane. */
#include "program.h"

__global__ void sample(cudaTextureObject_t texture, uchar4 *out) {
  out[threadIdx.x] = tex2D<uchar4>(texture, threadIdx.x, 1);
}
PROGRAM(texture_vectors) {
  size_t pitch;
  uchar4 *data, host[16];
  for (int i = 0; i < 16; i++)
    host[i] = make_uchar4(i, 2 * i, 3 * i, 255 - i);
  CHECK(cudaMallocPitch((void **)&data, &pitch, 8 * sizeof(uchar4), 2));
  CHECK(cudaMemcpy2D(data, pitch, host, 32, 32, 2, cudaMemcpyHostToDevice));
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypePitch2D;
  resource.res.pitch2D.devPtr = data;
  resource.res.pitch2D.desc = cudaCreateChannelDesc<uchar4>();
  resource.res.pitch2D.width = 8;
  resource.res.pitch2D.height = 2;
  resource.res.pitch2D.pitchInBytes = pitch;
  cudaTextureDesc description = {};
  cudaTextureObject_t texture;
  CHECK(cudaCreateTextureObject(&texture, &resource, &description, NULL));
  uchar4 *out = zeros<uchar4>(8);
  sample<<<1, 8>>>(texture, out);
  std::vector<uchar4> got = download(out, 8);
  for (int i = 0; i < 8; i++)
    REQUIRE(memcmp(&got[i], &host[8 + i], 4) == 0);
}
