/* Kernels and functors that are templates. */
#include "program.h"

struct Twice {
  template <typename T> __device__ T operator()(T x) const { return x + x; }
};
struct Offset {
  int by;
  template <typename T> __device__ T operator()(T x) const { return x + by; }
};
template <typename T, int N, typename F> __global__ void map(T *data, F function) {
  for (int i = threadIdx.x; i < N; i += blockDim.x)
    data[i] = function(data[i]);
}
template <typename T> void check() {
  T *data = upload(ramp<T>(100));
  map<T, 100><<<1, 32>>>(data, Twice());
  map<T, 100><<<1, 32>>>(data, Offset{3});
  std::vector<T> got = download(data, 100);
  for (int i = 0; i < 100; i++)
    REQUIRE(got[i] == T(2 * i + 3));
}
PROGRAM(templates) {
  check<int>();
  check<float>();
  check<double>();
  check<unsigned char>();
  check<long long>();
}
