// Online clustering: the gain of opening one more centre. Each thread takes a point and compares its distance to the
// candidate with the cost of its present centre, as the pgain kernel of Rodinia's streamcluster; coordinates lie dimension
// by dimension, what else is known of a point in a structure of 32 bytes.
#include "device.h"

struct Point {
  float weight;
  float* coordinates;
  long long centre;
  float cost;
};

KERNEL pgain(int count, int dimensions, long long candidate, Point* points, int centres, int stride, float* coordinates,
             float* work, int* centre_table, uchar* switches) {
  load_parameters(count, dimensions, candidate, points, centres, stride, coordinates, work, centre_table, switches);
  int point = blockDim.x * (blockIdx.x + gridDim.x * blockIdx.y) + threadIdx.x;
  if (point >= count) return;
  // Each point writes to its own row of the work matrix; the host adds the rows.
  float* row = &work[point * stride];
  float distance = 0.0f;
  const float* mine = coordinates + point;
  const float* theirs = coordinates + (int)candidate;
#pragma unroll 4
  for (int d = 0; d < dimensions; ++d, mine += count, theirs += count) {
    float difference = *mine - *theirs;
    distance += difference * difference;
  }
  float cost = distance * points[point].weight;
  if (cost < points[point].cost) {
    switches[point] = 1;
    row[centres] += cost - points[point].cost;
  } else {
    row[centre_table[points[point].centre]] += points[point].cost - cost;
  }
}
