/* Arguments of several kilobytes, structures by value, and one that stays where the launch put it. */
#include "program.h"

struct Table {
  int values[960];
};
struct Mixed {
  char letter;
  double number;
  short pair[3];
  float4 vector;
};
__global__ void look_up(__grid_constant__ const Table table, Mixed mixed, int *out) {
  const int *values = table.values;
  out[threadIdx.x] = values[threadIdx.x * 30] + (int)mixed.number + mixed.pair[2] + mixed.letter + (int)mixed.vector.z;
}
PROGRAM(arguments_large) {
  Table table;
  for (int i = 0; i < 960; i++)
    table.values[i] = 7 * i;
  Mixed mixed = {'a', 1000.0, {1, 2, 3}, make_float4(10, 20, 30, 40)};
  int *out = zeros<int>(32);
  look_up<<<1, 32>>>(table, mixed, out);
  std::vector<int> got = download(out, 32);
  for (int i = 0; i < 32; i++)
    REQUIRE(got[i] == 210 * i + 1000 + 3 + 'a' + 30);
}
