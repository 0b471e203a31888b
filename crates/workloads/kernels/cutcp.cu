// Cut-off Coulomb potential on a lattice as Parboil's cutcp: atoms are sorted into boxes of 4 Å with room for eight; a thread block of
// 8 × 2 × 8 threads computes a region of 8 × 8 × 8 points, four a thread. It goes through the list of neighbouring boxes, which is
// constant memory, 32 boxes at a time through shared memory. A launch computes one layer of regions.
#include "device.h"

#define BOX_ATOMS 8
#define BOX_FLOATS (4 * BOX_ATOMS)
#define CACHED_BOXES 32
#define REGION_POINTS 512
#define MOST_NEIGHBOURS (11 * 11 * 11)

struct Offset { int x, y, z; };
__constant__ int neighbour_count;
__constant__ Offset neighbours[MOST_NEIGHBOURS];

DEV void add_potential(float& sum, float charge, float r2, float cutoff2, float inverse_cutoff2) {
  if (r2 < cutoff2) {
    float s = 1.0f - r2 * inverse_cutoff2;
    sum += charge * rsqrtf(r2) * s * s;
  }
}

KERNEL cutcp(int boxes_x, int boxes_y, const float* boxes, float spacing, float cutoff2, float inverse_cutoff2, float* regions,
             int region_z, float box_side) {
  __shared__ float atoms[CACHED_BOXES * BOX_FLOATS];
  int t = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x, group = t >> 4, lane = t & 15;
  float* region = regions + ((region_z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x) * REGION_POINTS;
  float x = (8 * blockIdx.x + threadIdx.x) * spacing, y = (8 * blockIdx.y + threadIdx.y) * spacing,
        z = (8 * region_z + threadIdx.z) * spacing;
  int box_x = (int)floorf((8 * blockIdx.x + 4) * spacing / box_side), box_y = (int)floorf((8 * blockIdx.y + 4) * spacing / box_side),
      box_z = (int)floorf((8 * region_z + 4) * spacing / box_side);
  float sums[4] = {0.0f, 0.0f, 0.0f, 0.0f};
  int next = group;
  for (int done = 0; done < neighbour_count; done += CACHED_BOXES) {
    // Each half-warp brings up to four boxes, in two loads of 64 bytes.
    for (int k = 0; k < 4 && next < neighbour_count; ++k, next += 8) {
      Offset offset = neighbours[next];
      const float* box =
          boxes + (((box_z + offset.z) * boxes_y + box_y + offset.y) * boxes_x + box_x + offset.x) * BOX_FLOATS;
      float* cached = atoms + (group + 8 * k) * BOX_FLOATS;
      cached[lane] = box[lane];
      cached[lane + 16] = box[lane + 16];
    }
    __syncthreads();
    int boxes_here = min(CACHED_BOXES, neighbour_count - done);
    for (int box = 0; box < boxes_here * BOX_FLOATS; box += BOX_FLOATS)
      for (int i = 0; i < BOX_ATOMS; ++i) {
        const float* atom = atoms + box + 4 * i;
        float charge = atom[3];
        if (charge == 0.0f) break;
        float dx = atom[0] - x, dz = atom[2] - z, plane2 = dx * dx + dz * dz, dy = atom[1] - y;
#pragma unroll
        for (int point = 0; point < 4; ++point) {
          add_potential(sums[point], charge, dy * dy + plane2, cutoff2, inverse_cutoff2);
          dy -= 2.0f * spacing;
        }
      }
    __syncthreads();
  }
#pragma unroll
  for (int point = 0; point < 4; ++point) region[group * 64 + lane + 16 * point] = sums[point];
}
