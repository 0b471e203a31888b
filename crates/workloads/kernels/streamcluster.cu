// Online clustering: the gain of opening one more centre. Each thread takes a point and compares its distance to the
// candidate with the cost of its present centre, as the pgain kernel of Rodinia's streamcluster.
#include "device.h"

KERNEL pgain(const float* coordinates, const float* weight, const float* cost, const int* assigned, const int* center_row,
             float* lower, uchar* switches, int count, int dimensions, int candidate, int rows) {
  extern __shared__ float wanted[];
  for (int d = threadIdx.x; d < dimensions; d += blockDim.x) wanted[d] = coordinates[d * count + candidate];
  __syncthreads();
  int point = global_id();
  if (point >= count) return;
  float distance = 0.0f;
  for (int d = 0; d < dimensions; ++d) {
    float difference = coordinates[d * count + point] - wanted[d];
    distance += difference * difference;
  }
  float change = distance * weight[point] - cost[point];
  // Each point writes to its own row of the work matrix; the host adds the rows.
  float* row = lower + (size_t)point * rows;
  if (change < 0.0f) {
    switches[point] = 1;
    row[rows - 1] += change;
  } else {
    row[center_row[assigned[point]]] -= change;
  }
}
