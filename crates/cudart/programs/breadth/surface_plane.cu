/* A surface object that a kernel reads and writes. */
#include "program.h"

__global__ void invert(cudaSurfaceObject_t surface, int width, int height) {
  int x = threadIdx.x, y = blockIdx.x;
  if (x < width && y < height) {
    float value;
    surf2Dread(&value, surface, x * sizeof(float), y);
    surf2Dwrite(100 - value, surface, x * sizeof(float), y);
  }
}
PROGRAM(surface_plane) {
  cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaArray_t array;
  CHECK(cudaMallocArray(&array, &format, 8, 4, cudaArraySurfaceLoadStore));
  std::vector<float> host = ramp<float>(32), got(32);
  CHECK(cudaMemcpy2DToArray(array, 0, 0, host.data(), 32, 32, 4, cudaMemcpyHostToDevice));
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaSurfaceObject_t surface;
  CHECK(cudaCreateSurfaceObject(&surface, &resource));
  invert<<<4, 32>>>(surface, 8, 4);
  CHECK(cudaMemcpy2DFromArray(got.data(), 32, array, 0, 0, 32, 4, cudaMemcpyDeviceToHost));
  for (int i = 0; i < 32; i++)
    REQUIRE(got[i] == 100 - host[i]);
  CHECK(cudaDestroySurfaceObject(surface));
}
