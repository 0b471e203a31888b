/* Memory and copies of three dimensions. */
#include "program.h"

__global__ void add(cudaPitchedPtr volume, int width, int height, int depth) {
  int x = threadIdx.x, y = threadIdx.y, z = blockIdx.x;
  if (x < width && y < height && z < depth)
    ((int *)((char *)volume.ptr + (z * height + y) * volume.pitch))[x] += 1000 * z;
}
PROGRAM(volume_copies) {
  const int width = 7, height = 5, depth = 3;
  std::vector<int> host = ramp<int>(width * height * depth), got(host.size());
  cudaPitchedPtr volume;
  cudaExtent extent = make_cudaExtent(width * sizeof(int), height, depth);
  CHECK(cudaMalloc3D(&volume, extent));
  cudaMemcpy3DParms copy = {};
  copy.srcPtr = make_cudaPitchedPtr(host.data(), width * sizeof(int), width, height);
  copy.dstPtr = volume;
  copy.extent = extent;
  copy.kind = cudaMemcpyHostToDevice;
  CHECK(cudaMemcpy3D(&copy));
  add<<<depth, dim3(8, 8)>>>(volume, width, height, depth);
  copy.srcPtr = volume;
  copy.dstPtr = make_cudaPitchedPtr(got.data(), width * sizeof(int), width, height);
  copy.kind = cudaMemcpyDeviceToHost;
  CHECK(cudaMemcpy3D(&copy));
  for (size_t i = 0; i < host.size(); i++)
    REQUIRE(got[i] == host[i] + 1000 * int(i / (width * height)));
}
