// Cosine similarity of pairs of documents as Mars' SimilarityScore: a record for each pair; the map recomputes the product
// and both lengths for every pair, four features at a time. The threads of a warp have the same first document and
// different second ones: 32 lines for each load. The scores are then sorted and grouped.
#define MARS_SORTS
#include "mars.h"

struct Key { const float* documents; };
struct Value { int first; int second; int features; float unused; };

DEV void count_record(char*, char*, const Sizes& sizes) { emit_sizes(sizes, sizeof(float), sizeof(int2)); }

DEV void map_record(char* key, char* value, const Output& out) {
  const float* documents = ((Key*)key)->documents;
  Value* pair = (Value*)value;
  int first = pair->first, second = pair->second, features = pair->features;
  float4* a = (float4*)(documents + first * features);
  float4* b = (float4*)(documents + second * features);
  float product = 0.0f, a_length = 0.0f, b_length = 0.0f;
  int quads = features >> 2, rest = features & 3;
#pragma unroll 4
  for (int i = 0; i < quads; ++i) {
    float4 x = a[i];
    float4 y = b[i];
    product += x.x * y.x + x.y * y.y + x.z * y.z + x.w * y.w;
    a_length += x.x * x.x + x.y * x.y + x.z * x.z + x.w * x.w;
    b_length += y.x * y.x + y.y * y.y + y.z * y.z + y.w * y.w;
  }
  const float* a_rest = (const float*)(a + quads);
  const float* b_rest = (const float*)(b + quads);
  for (int i = 0; i < rest; ++i) {
    float x = a_rest[i], y = b_rest[i];
    product += x * y;
    a_length += x * x;
    b_length += y * y;
  }
  int* own = staging();
  *(float*)own = product / (sqrtf(a_length) * sqrtf(b_length));
  own[1] = first;
  own[2] = second;
  __syncthreads();
  emit(out, (const char*)own, (const char*)(own + 1), sizeof(float), sizeof(int2));
}

DEV int compare_keys(const char* a, int, const char* b, int) {
  float x = *(const float*)a, y = *(const float*)b;
  if (fabsf(x - y) < 0.0000001f) return 0;
  return x < y ? 1 : -1;
}

MARS_MAP
