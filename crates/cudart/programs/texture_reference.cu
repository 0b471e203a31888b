/* Texture references, which CUDA had until 11.x. */
#include "check.h"

texture<float, 1, cudaReadModeElementType> line;
texture<float, 2, cudaReadModeElementType> plane;

__global__ void sample(float *out, int width, int height) {
  int x = threadIdx.x, y = blockIdx.x;
  out[y * width + x] = tex1Dfetch(line, y * width + x) + 100.0f * tex2D(plane, x + 0.5f, y + 0.5f);
}

int main() {
  const int width = 16, height = 8, count = width * height;
  float texels[count], got[count], *memory, *out;
  for (int i = 0; i < count; i++)
    texels[i] = (float)i;
  CHECK(cudaMalloc(&memory, sizeof(texels)));
  CHECK(cudaMalloc(&out, sizeof(texels)));
  CHECK(cudaMemcpy(memory, texels, sizeof(texels), cudaMemcpyHostToDevice));
  CHECK(cudaBindTexture(0, line, memory, sizeof(texels)));
  cudaArray_t array;
  cudaChannelFormatDesc channel = cudaCreateChannelDesc<float>();
  CHECK(cudaMallocArray(&array, &channel, width, height));
  CHECK(cudaMemcpyToArray(array, 0, 0, texels, sizeof(texels), cudaMemcpyHostToDevice));
  CHECK(cudaBindTextureToArray(plane, array));
  sample<<<height, width>>>(out, width, height);
  CHECK(cudaMemcpy(got, out, sizeof(got), cudaMemcpyDeviceToHost));
  for (int i = 0; i < count; i++)
    REQUIRE(got[i] == 101.0f * i);
  CHECK(cudaUnbindTexture(line));
  CHECK(cudaUnbindTexture(plane));
  CHECK(cudaFreeArray(array));
  printf("texture_reference: a line and a plane are right\n");
  return 0;
}
