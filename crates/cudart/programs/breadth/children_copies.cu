/* Copies and fills that kernels ask for, memory that they allocate, and their texts for errors. */
#include "program.h"

__global__ void add_one(int *data) { data[threadIdx.x]++; }
__global__ void parent(int *from, int *to, int *plane) {
  cudaMemcpyAsync(to, from, 8 * sizeof(int), cudaMemcpyDeviceToDevice, 0);
  add_one<<<1, 8>>>(to);
  cudaMemcpyAsync(to + 8, to, 8 * sizeof(int), cudaMemcpyDeviceToDevice, 0);
  cudaMemsetAsync(from, 0, 4 * sizeof(int), 0);
  cudaMemset2DAsync(plane, 4 * sizeof(int), 1, 2 * sizeof(int), 3, 0);
  cudaMemcpy2DAsync(plane + 2, 4 * sizeof(int), plane, 4 * sizeof(int), sizeof(int), 3, cudaMemcpyDeviceToDevice, 0);
  int *own = nullptr;
  if (cudaMalloc((void **)&own, 64) != cudaSuccess || own == nullptr || cudaFree(own) != cudaSuccess)
    to[0] = -1;
  const char *text = cudaGetErrorString(cudaSuccess), *name = cudaGetErrorName(cudaErrorInvalidValue);
  if (text[0] != 'n' || text[1] != 'o' || name[0] != 'c' || name[9] != 'I')
    to[0] = -2;
  int device = 5, devices = 0;
  if (cudaGetDevice(&device) != cudaSuccess || device != 0 || cudaGetDeviceCount(&devices) != cudaSuccess || devices != 1)
    to[0] = -3;
}
PROGRAM(children_copies) {
  int *from = upload(ramp<int>(8)), *to = zeros<int>(16), *plane = zeros<int>(12);
  parent<<<1, 1>>>(from, to, plane);
  CHECK(cudaDeviceSynchronize());
  std::vector<int> source = download(from, 8), got = download(to, 16), filled = download(plane, 12);
  for (int i = 0; i < 16; i++)
    REQUIRE(got[i] == i % 8 + 1);
  for (int i = 0; i < 8; i++)
    REQUIRE(source[i] == (i < 4 ? 0 : i));
  for (int i = 0; i < 12; i++)
    REQUIRE(filled[i] == (i % 4 == 3 ? 0 : 0x01010101));
}
