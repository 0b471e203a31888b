/* Layered textures and surfaces, a cube, and coordinates outside. */
#include "program.h"

static cudaTextureObject_t texture_of(cudaArray_t array, cudaTextureAddressMode mode, int normalized) {
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaTextureDesc description = {};
  for (int i = 0; i < 3; i++)
    description.addressMode[i] = mode;
  description.normalizedCoords = normalized;
  cudaTextureObject_t texture;
  CHECK(cudaCreateTextureObject(&texture, &resource, &description, NULL));
  return texture;
}
static cudaArray_t filled(cudaExtent extent, unsigned flags, int layers) {
  cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaArray_t array;
  CHECK(cudaMalloc3DArray(&array, &format, extent, flags));
  std::vector<float> host = ramp<float>(extent.width * (extent.height ? extent.height : 1) * layers);
  cudaMemcpy3DParms copy = {};
  copy.srcPtr = make_cudaPitchedPtr(host.data(), extent.width * 4, extent.width, extent.height ? extent.height : 1);
  copy.dstArray = array;
  copy.extent = make_cudaExtent(extent.width, extent.height ? extent.height : 1, layers);
  copy.kind = cudaMemcpyHostToDevice;
  CHECK(cudaMemcpy3D(&copy));
  return array;
}
__global__ void read(cudaTextureObject_t planes, cudaTextureObject_t lines, cudaTextureObject_t cube, cudaTextureObject_t mirror, float *out) {
  int layer = threadIdx.x;
  out[layer * 4] = tex2DLayered<float>(planes, 2.5f, 1.5f, layer);
  out[layer * 4 + 1] = tex1DLayered<float>(lines, 9.5f, layer);
  const float3 axes[4] = {{1, 0.1f, 0.1f}, {-1, 0.1f, 0.1f}, {0.1f, 1, 0.1f}, {0.1f, 0.1f, -1}};
  out[layer * 4 + 2] = texCubemap<float>(cube, axes[layer].x, axes[layer].y, axes[layer].z);
  out[layer * 4 + 3] = tex2D<float>(mirror, 1.0f + (layer + 0.5f) / 4, -0.125f);
}
__global__ void write(cudaSurfaceObject_t surface) {
  surf2DLayeredwrite(100.0f + threadIdx.x, surface, threadIdx.x * 4, 1, 2);
  float old;
  surf2DLayeredread(&old, surface, threadIdx.x * 4, 1, 1);
  surf2DLayeredwrite(-old, surface, threadIdx.x * 4, 0, 0);
}
PROGRAM(texture_layers) {
  cudaArray_t planes = filled(make_cudaExtent(4, 2, 4), cudaArrayLayered | cudaArraySurfaceLoadStore, 4);
  cudaArray_t lines = filled(make_cudaExtent(4, 0, 4), cudaArrayLayered, 4);
  cudaArray_t cube = filled(make_cudaExtent(2, 2, 6), cudaArrayCubemap, 6);
  cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaArray_t plain;
  CHECK(cudaMallocArray(&plain, &format, 4, 4));
  std::vector<float> host = ramp<float>(16);
  CHECK(cudaMemcpy2DToArray(plain, 0, 0, host.data(), 16, 16, 4, cudaMemcpyHostToDevice));
  float *out = zeros<float>(16);
  cudaTextureObject_t layered = texture_of(planes, cudaAddressModeClamp, 0);
  read<<<1, 4>>>(layered, texture_of(lines, cudaAddressModeClamp, 0),
                 texture_of(cube, cudaAddressModeClamp, 1), texture_of(plain, cudaAddressModeMirror, 1), out);
  std::vector<float> got = download(out, 16);
  // The faces of a cube: +x looks along -z and -y, -x along +z and -y, +y along +x and +z, -z along -x and -y.
  const float faces[4] = {0 * 4 + 0, 1 * 4 + 1, 2 * 4 + 3, 5 * 4 + 0};
  for (int i = 0; i < 4; i++) {
    REQUIRE(got[4 * i] == 8 * i + 6 && got[4 * i + 1] == 4 * i + 3);
    REQUIRE(got[4 * i + 2] == faces[i] && got[4 * i + 3] == 3 - i);
  }
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = planes;
  cudaSurfaceObject_t surface;
  CHECK(cudaCreateSurfaceObject(&surface, &resource));
  write<<<1, 4>>>(surface);
  float *again = zeros<float>(16);
  read<<<1, 4>>>(layered, layered, layered, layered, again);
  REQUIRE(download(again, 16)[8] == 102);
}
