// k-means: the points are first turned from point-major to feature-major, one thread a point; then every thread finds the
// nearest centre of one point with the features through the texture cache and the centres in constant memory, as Rodinia's
// kmeans does. The host moves the centres.
#include "device.h"

#define MOST_CLUSTERS 32
#define MOST_FEATURES 34

__constant__ float centres[MOST_CLUSTERS * MOST_FEATURES];

KERNEL invert(const float* points, float* features, int count, int dimensions) {
  int point = global_id();
  if (point >= count) return;
  for (int d = 0; d < dimensions; ++d) features[point + count * d] = points[point * dimensions + d];
}

// Adds the squared difference of a feature and a centre's.
DEV float add_squared(float sum, Texture features, int feature, float centre) {
  float difference = fetch_float(features, feature) - centre;
  return sum + difference * difference;
}

// Thread blocks lie in a square grid, in the order of rows.
KERNEL nearest(Texture features, int dimensions, int count, int clusters, int* membership) {
  uint point = (gridDim.x * blockIdx.y + blockIdx.x) * blockDim.x + threadIdx.x;
  if (point >= count) return;
  int best = -1;
  float least = 3.402823466e+38f;
  for (int c = 0; c < clusters; ++c) {
    float sum = 0.0f;
    // Four at a time, as nvcc unrolls; clang does not unroll loops with fetches whose length it does not know.
    int feature = point;
    const float* centre = centres + c * dimensions;
    const float* end = centre + dimensions;
    for (const float* whole = centre + (dimensions & ~3); centre < whole; centre += 4, feature += 4 * count)
      for (int k = 0; k < 4; ++k) sum = add_squared(sum, features, feature + k * count, centre[k]);
    for (; centre < end; ++centre, feature += count) sum = add_squared(sum, features, feature, *centre);
    if (sum < least) {
      least = sum;
      best = c;
    }
  }
  membership[point] = best;
}
