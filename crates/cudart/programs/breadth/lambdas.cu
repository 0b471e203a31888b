/* Device code in classes and static functions. */
#include "program.h"

template <typename F> __global__ void each(F function, int count) {
  if (ID < count)
    function(ID);
}
struct Fill {
  float *data;
  __device__ void operator()(int i) const { data[i] = sqrtf(float(i)); }
};
PROGRAM(lambdas) {
  float *data = zeros<float>(100);
  each<<<2, 64>>>(Fill{data}, 100);
  REQUIRE(download(data, 100)[81] == 9);
}
