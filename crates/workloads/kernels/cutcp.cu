// Cut-off Coulomb potential on a lattice: atoms are sorted into boxes of 4 Å; a block computes an 8 × 8 × 4 piece of the
// lattice and reads the boxes within the cut-off, as Parboil's cutcp.
#include "device.h"

#define BOX_ATOMS 8

struct Atom { float x, y, z, q; };

KERNEL cutcp(const Atom* boxes, int boxes_x, int boxes_y, int boxes_z, float* potential, int nx, int ny, float spacing,
             float cutoff2, float inverse_cutoff2, int reach, float box_side) {
  __shared__ Atom box[BOX_ATOMS];
  int x = blockIdx.x * 8 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y, z = blockIdx.z * 4 + threadIdx.z;
  float px = x * spacing, py = y * spacing, pz = z * spacing;
  int cx = (int)((blockIdx.x * 8 + 4) * spacing / box_side), cy = (int)((blockIdx.y * 8 + 4) * spacing / box_side),
      cz = (int)((blockIdx.z * 4 + 2) * spacing / box_side);
  int t = threadIdx.x + 8 * (threadIdx.y + 8 * threadIdx.z);
  float sum = 0.0f;
  for (int bz = max(cz - reach, 0); bz <= min(cz + reach, boxes_z - 1); ++bz)
    for (int by = max(cy - reach, 0); by <= min(cy + reach, boxes_y - 1); ++by)
      for (int bx = max(cx - reach, 0); bx <= min(cx + reach, boxes_x - 1); ++bx) {
        __syncthreads();
        if (t < BOX_ATOMS) box[t] = boxes[((bz * boxes_y + by) * boxes_x + bx) * BOX_ATOMS + t];
        __syncthreads();
        for (int i = 0; i < BOX_ATOMS; ++i) {
          float q = box[i].q;
          if (q == 0.0f) break;
          float dx = box[i].x - px, dy = box[i].y - py, dz = box[i].z - pz;
          float r2 = dx * dx + dy * dy + dz * dz;
          if (r2 < cutoff2) {
            float s = 1.0f - r2 * inverse_cutoff2;
            sum += q * rsqrtf(r2) * s * s;
          }
        }
      }
  potential[(z * ny + y) * nx + x] = sum;
}
