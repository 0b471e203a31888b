/* Objects with virtual functions that kernels make. */
#include "program.h"

struct Shape {
  __device__ virtual float area() const = 0;
  __device__ virtual ~Shape() {}
};
struct Square : Shape {
  float side;
  __device__ Square(float side) : side(side) {}
  __device__ float area() const override { return side * side; }
};
struct Disc : Shape {
  float radius;
  __device__ Disc(float radius) : radius(radius) {}
  __device__ float area() const override { return 3 * radius * radius; }
};
__global__ void measure(float *out) {
  Shape *shape;
  if (threadIdx.x % 2)
    shape = new Disc(threadIdx.x);
  else
    shape = new Square(threadIdx.x);
  out[threadIdx.x] = shape->area();
  delete shape;
}
PROGRAM(new_kernel) {
  float *out = zeros<float>(8);
  measure<<<1, 8>>>(out);
  std::vector<float> got = download(out, 8);
  for (int i = 0; i < 8; i++)
    REQUIRE(got[i] == (i % 2 ? 3 : 1) * i * i);
}
