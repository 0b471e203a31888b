/* Every thread launches a grid, with structures and shared memory; what cannot be launched is an error of its thread. */
#include "program.h"

struct Part {
  float *out;
  short first;
  double factor;
};
__global__ void scale(Part part, char count) {
  extern __shared__ float row[];
  row[threadIdx.x] = (float)(part.factor * (part.first + threadIdx.x));
  __syncthreads();
  if ((char)threadIdx.x < count)
    part.out[part.first + threadIdx.x] = row[count - 1 - threadIdx.x];
}
__global__ void every(float *out, int *errors) {
  Part part = {out, (short)(ID * 4), 0.5};
  scale<<<1, 4, 4 * sizeof(float)>>>(part, 4);
  errors[ID] = cudaGetLastError();
  scale<<<1, 2000>>>(part, 4);
  errors[ID] += cudaPeekAtLastError() == cudaErrorInvalidConfiguration ? 10 : 0;
  errors[ID] += cudaGetLastError() == cudaErrorInvalidConfiguration ? 100 : 0;
  errors[ID] += cudaGetLastError() == cudaSuccess ? 1000 : 0;
}
PROGRAM(children_many) {
  const int count = 3 * 50;
  float *out = zeros<float>(4 * count);
  int *errors = zeros<int>(count);
  every<<<3, 50>>>(out, errors);
  CHECK(cudaDeviceSynchronize());
  std::vector<float> got = download(out, 4 * count);
  std::vector<int> codes = download(errors, count);
  for (int i = 0; i < count; i++) {
    REQUIRE(codes[i] == 1110);
    for (int j = 0; j < 4; j++)
      REQUIRE(got[4 * i + j] == 0.5f * (4 * i + 3 - j));
  }
}
