// Matrix product as Mars' MatrixMul: a record for each element of the result names a row of the first matrix and a row of
// the second, transposed one; the map multiplies them four floats at a time. The threads of a warp have the same first row
// and different second ones: 32 lines for each load.
#include "mars.h"

struct Key { const float* a; const float* b; };
struct Value { int row; int column; int rows; int columns; };

DEV void count_record(char*, char*, const Sizes& sizes) { emit_sizes(sizes, sizeof(float), sizeof(int2)); }

DEV void map_record(char* key, char* value, const Output& out) {
  Key* matrices = (Key*)key;
  Value* place = (Value*)value;
  int row = place->row, column = place->column, columns = place->columns;
  float4* a = (float4*)(matrices->a + row * columns);
  float4* b = (float4*)(matrices->b + column * columns);
  float sum = 0.0f;
  int quads = columns >> 2, rest = columns & 3;
#pragma unroll 4
  for (int i = 0; i < quads; ++i) {
    float4 x = a[i];
    float4 y = b[i];
    sum += x.x * y.x;
    sum += x.y * y.y;
    sum += x.z * y.z;
    sum += x.w * y.w;
  }
  const float* a_rest = (const float*)(a + quads);
  const float* b_rest = (const float*)(b + quads);
  for (int i = 0; i < rest; ++i) sum += a_rest[i] * b_rest[i];
  int* own = staging();
  *(float*)own = sum;
  own[1] = row;
  own[2] = column;
  __syncthreads();
  emit(out, (const char*)own, (const char*)(own + 1), sizeof(float), sizeof(int2));
}

MARS_MAP
