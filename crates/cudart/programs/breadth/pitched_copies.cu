/* Pitched memory and copies of planes. */
#include "program.h"

__global__ void scale(float *data, size_t pitch, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height)
    ((float *)((char *)data + y * pitch))[x] *= 3;
}
PROGRAM(pitched_copies) {
  const int width = 37, height = 19;
  std::vector<float> host = ramp<float>(width * height), got(width * height);
  float *data;
  size_t pitch;
  CHECK(cudaMallocPitch((void **)&data, &pitch, width * sizeof(float), height));
  REQUIRE(pitch >= width * sizeof(float));
  CHECK(cudaMemcpy2D(data, pitch, host.data(), width * sizeof(float), width * sizeof(float), height,
                     cudaMemcpyHostToDevice));
  scale<<<dim3(3, 2), dim3(16, 16)>>>(data, pitch, width, height);
  CHECK(cudaMemcpy2D(got.data(), width * sizeof(float), data, pitch, width * sizeof(float), height,
                     cudaMemcpyDeviceToHost));
  for (int i = 0; i < width * height; i++)
    REQUIRE(got[i] == 3 * host[i]);
  CHECK(cudaMemset2D(data, pitch, 0, 4 * sizeof(float), height));
  CHECK(cudaMemcpy2D(got.data(), width * sizeof(float), data, pitch, width * sizeof(float), height,
                     cudaMemcpyDeviceToHost));
  REQUIRE(got[3] == 0 && got[4] == 12 && got[width + 3] == 0);
}
