// Pairwise similarity of documents in the MapReduce style of Mars: one map computes the length of every document vector,
// a second one the cosine of every pair, straight from global memory.
#include "device.h"

KERNEL vector_lengths(const float* documents, float* lengths, int count, int features) {
  int document = global_id();
  if (document >= count) return;
  float sum = 0.0f;
  for (int f = 0; f < features; ++f) {
    float value = documents[document * features + f];
    sum += value * value;
  }
  lengths[document] = sqrtf(sum);
}

KERNEL pair_scores(const float* documents, const float* lengths, float* scores, int count, int features) {
  int pair = global_id();
  if (pair >= count * count) return;
  int a = pair / count, b = pair % count;
  float sum = 0.0f;
  for (int f = 0; f < features; ++f) sum += documents[a * features + f] * documents[b * features + f];
  scores[pair] = sum / (lengths[a] * lengths[b]);
}
