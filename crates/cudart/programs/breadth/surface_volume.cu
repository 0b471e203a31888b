/* A surface of three dimensions and texels of four floats. */
#include "program.h"

__global__ void fill(cudaSurfaceObject_t surface) {
  int x = threadIdx.x, y = threadIdx.y, z = blockIdx.x;
  surf3Dwrite(make_float4(x, y, z, 1), surface, x * sizeof(float4), y, z);
}
PROGRAM(surface_volume) {
  cudaChannelFormatDesc format = cudaCreateChannelDesc<float4>();
  cudaArray_t array;
  CHECK(cudaMalloc3DArray(&array, &format, make_cudaExtent(4, 2, 3), cudaArraySurfaceLoadStore));
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaSurfaceObject_t surface;
  CHECK(cudaCreateSurfaceObject(&surface, &resource));
  fill<<<3, dim3(4, 2)>>>(surface);
  std::vector<float4> got(24);
  cudaMemcpy3DParms copy = {};
  copy.srcArray = array;
  copy.dstPtr = make_cudaPitchedPtr(got.data(), 4 * sizeof(float4), 4, 2);
  copy.extent = make_cudaExtent(4, 2, 3);
  copy.kind = cudaMemcpyDeviceToHost;
  CHECK(cudaMemcpy3D(&copy));
  for (int i = 0; i < 24; i++)
    REQUIRE(got[i].x == i % 4 && got[i].y == i / 4 % 2 && got[i].z == i / 8 && got[i].w == 1);
}
