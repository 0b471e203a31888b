/* Variables that hold addresses of other variables and of functions, alone, in tables and between integers. */
#include "program.h"

typedef float (*Function)(float);
__device__ float twice(float x) { return 2 * x; }
__device__ float square(float x) { return x * x; }
__device__ int values[4] = {3, 5, 7, 11};
__device__ int *third = &values[2];
__constant__ const char *const words[3] = {"one", "three", "eleven"};
struct Entry {
  char letter;
  Function function;
  int *place;
  short number;
};
__device__ Entry entries[2] = {{'t', twice, values + 1, 40}, {'s', square, values + 3, 50}};
__constant__ Function chosen[2] = {square, twice};
__global__ void read(float *out) {
  int i = threadIdx.x;
  const Entry &entry = entries[i % 2];
  int letters = 0;
  while (words[i % 3][letters])
    letters++;
  out[i] = entry.function(i) + *entry.place + entry.number + (entry.letter == 't') + *third + letters + chosen[i / 2](3);
}
PROGRAM(addresses_in_variables) {
  float *out = zeros<float>(4);
  read<<<1, 4>>>(out);
  std::vector<float> got = download(out, 4);
  for (int i = 0; i < 4; i++) {
    int letters[] = {3, 5, 6};
    float expected = (i % 2 ? i * i + 11 + 50 : 2 * i + 5 + 40 + 1) + 7 + letters[i % 3] + (i / 2 ? 6 : 9);
    REQUIRE(got[i] == expected);
  }
}
