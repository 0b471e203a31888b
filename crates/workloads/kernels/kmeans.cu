// k-means: the points are first turned from point-major to feature-major, then every thread finds the nearest centre of
// one point, as Rodinia's kmeans does; the host moves the centres.
#include "device.h"

KERNEL invert(const float* points, float* features, int count, int dimensions) {
  int point = global_id();
  if (point >= count) return;
  for (int d = 0; d < dimensions; ++d) features[d * count + point] = points[point * dimensions + d];
}

KERNEL nearest(const float* features, int count, int dimensions, const float* centres, int clusters, int* membership) {
  int point = global_id();
  if (point >= count) return;
  int best = -1;
  float least = 3.402823466e+38f;
  for (int c = 0; c < clusters; ++c) {
    float sum = 0.0f;
    for (int d = 0; d < dimensions; ++d) {
      float difference = features[d * count + point] - centres[c * dimensions + d];
      sum += difference * difference;
    }
    if (sum < least) {
      least = sum;
      best = c;
    }
  }
  membership[point] = best;
}
