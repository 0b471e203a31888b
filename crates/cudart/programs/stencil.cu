/* The other half: textures over an array and over memory, and a module of its own. */
#include "check.h"
#include "stencil.h"

/* Named as in the other file: every module has its own. */
__constant__ float weights[2];

__global__ void sample(cudaTextureObject_t plane, cudaTextureObject_t line, float *out, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height)
    out[y * width + x] =
        weights[0] * tex2D<float>(plane, x + 1.0f, y + 0.5f) + weights[1] * tex1Dfetch<float>(line, y * width + x);
}

static cudaTextureObject_t make_texture(const cudaResourceDesc &resource, cudaTextureFilterMode filter) {
  cudaTextureDesc description = {};
  description.addressMode[0] = description.addressMode[1] = cudaAddressModeClamp;
  description.filterMode = filter;
  description.readMode = cudaReadModeElementType;
  cudaTextureObject_t object;
  CHECK(cudaCreateTextureObject(&object, &resource, &description, 0));
  return object;
}

static void sample_textures() {
  const int width = 32, height = 16, count = width * height;
  float texels[count], got[count], host_weights[2] = {1.0f, 100.0f};
  for (int i = 0; i < count; i++)
    texels[i] = (float)i;
  CHECK(cudaMemcpyToSymbol(weights, host_weights, sizeof(host_weights)));

  cudaChannelFormatDesc channel = cudaCreateChannelDesc<float>();
  cudaArray_t array;
  CHECK(cudaMallocArray(&array, &channel, width, height));
  CHECK(cudaMemcpy2DToArray(array, 0, 0, texels, width * sizeof(float), width * sizeof(float), height,
                            cudaMemcpyHostToDevice));
  cudaResourceDesc plane = {};
  plane.resType = cudaResourceTypeArray;
  plane.res.array.array = array;

  float *memory, *out;
  CHECK(cudaMalloc(&memory, sizeof(texels)));
  CHECK(cudaMalloc(&out, sizeof(texels)));
  CHECK(cudaMemcpy(memory, texels, sizeof(texels), cudaMemcpyHostToDevice));
  cudaResourceDesc line = {};
  line.resType = cudaResourceTypeLinear;
  line.res.linear.devPtr = memory;
  line.res.linear.desc = channel;
  line.res.linear.sizeInBytes = sizeof(texels);

  cudaTextureObject_t planes = make_texture(plane, cudaFilterModeLinear), lines = make_texture(line, cudaFilterModePoint);
  sample<<<dim3(2, 2), dim3(16, 8)>>>(planes, lines, out, width, height);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(got, out, sizeof(got), cudaMemcpyDeviceToHost));
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++) {
      /* Halfway between two texels, or the last one of the row. */
      float between = x + 1 < width ? y * width + x + 0.5f : y * width + x;
      REQUIRE(got[y * width + x] == between + 100.0f * (y * width + x));
    }
  CHECK(cudaDestroyTextureObject(planes));
  CHECK(cudaDestroyTextureObject(lines));
  CHECK(cudaFreeArray(array));
  CHECK(cudaFree(memory));
  CHECK(cudaFree(out));
}

static void blur_line() {
  const int count = 1000;
  const float kernel[2 * RADIUS + 1] = {0, 0.25f, 0.5f, 0.25f, 0};
  float *line, *blurred, host[count];
  CHECK(cudaMalloc(&line, sizeof(host)));
  CHECK(cudaMalloc(&blurred, sizeof(host)));
  for (int i = 0; i < count; i++)
    host[i] = (float)(i % 4);
  CHECK(cudaMemcpy(line, host, sizeof(host), cudaMemcpyHostToDevice));
  set_weights(kernel);
  blur(line, blurred, count);
  CHECK(cudaMemcpy(host, blurred, sizeof(host), cudaMemcpyDeviceToHost));
  /* 0 1 2 3 0 1 2 3 …: in the middle of a rise the blur changes nothing; at its ends it does. */
  REQUIRE(host[5] == 1.0f && host[6] == 2.0f && host[4] == 1.0f && host[7] == 2.0f);
  /* The weights add up to 1 and are even, so that what one end gains the other loses: 250 times 0 + 1 + 2 + 3. */
  REQUIRE(last_sum() == 1500.0f);
  CHECK(cudaFree(line));
  CHECK(cudaFree(blurred));
}

int main() {
  sample_textures();
  blur_line();
  printf("stencil: textures, constants and variables of two files are right\n");
  return 0;
}
