// n-body with an octree (Barnes & Hut), as LonestarGPU: all threads build the tree at once with a lock a child pointer,
// cells are summarised from the leaves up, and every body walks the tree with a stack.
#include "device.h"

#define EMPTY (-1)
#define LOCKED (-2)
#define DEEPEST 40

struct Place { float x, y, z; };

DEV int octant(Place p, Place centre) { return (p.x > centre.x) | (p.y > centre.y) << 1 | (p.z > centre.z) << 2; }

DEV Place toward(Place centre, int branch, float r) {
  return {centre.x + (branch & 1 ? r : -r), centre.y + (branch & 2 ? r : -r), centre.z + (branch & 4 ? r : -r)};
}

// Numbers below `bodies` are bodies, the root is `bodies`; the children of a cell stand at child[(cell - bodies) * 8].
KERNEL build_tree(const Place* place, int* child, int* next_cell, int bodies, int most_cells, float centre_x,
                  float centre_y, float centre_z, float radius, int* failed) {
  int body = global_id();
  if (body >= bodies) return;
  Place p = place[body], centre = {centre_x, centre_y, centre_z};
  float r = radius * 0.5f;
  int cell = bodies, branch = octant(p, centre);
  bool is_placed = false;
  while (!is_placed) {
    volatile int* slot = &child[(cell - bodies) * 8 + branch];
    int there = *slot;
    if (there >= bodies) {
      cell = there;
      centre = toward(centre, branch, r);
      r *= 0.5f;
      branch = octant(p, centre);
    } else if (there != LOCKED && atomicCAS((int*)slot, there, LOCKED) == there) {
      int published = body;
      if (there != EMPTY) {
        // A body is there already: grow a chain of cells until the two part.
        Place other = place[there];
        int last = -1, theirs;
        do {
          int fresh = atomicAdd(next_cell, 1);
          if (fresh >= bodies + most_cells) {
            *failed = 1;
            *slot = there;
            return;
          }
          if (last < 0) published = fresh;
          else child[(last - bodies) * 8 + branch] = fresh;
          centre = toward(centre, branch, r);
          r *= 0.5f;
          theirs = octant(other, centre);
          branch = octant(p, centre);
          child[(fresh - bodies) * 8 + theirs] = there;
          last = fresh;
        } while (theirs == branch);
        child[(last - bodies) * 8 + branch] = body;
      }
      __threadfence();
      *slot = published;
      is_placed = true;
    }
  }
}

// A cell is summed up once all its child cells are; launched until nothing is left.
KERNEL summarize(Place* place, float* mass, const int* child, volatile int* is_done, int* left, int bodies, int cells) {
  int i = global_id();
  if (i >= cells || is_done[i]) return;
  float total = 0.0f, x = 0.0f, y = 0.0f, z = 0.0f;
  for (int k = 0; k < 8; ++k) {
    int c = child[i * 8 + k];
    if (c < 0) continue;
    if (c >= bodies && !is_done[c - bodies]) {
      *left = 1;
      return;
    }
    float m = mass[c];
    total += m;
    x += m * place[c].x;
    y += m * place[c].y;
    z += m * place[c].z;
  }
  mass[bodies + i] = total;
  place[bodies + i] = {x / total, y / total, z / total};
  __threadfence();
  is_done[i] = 1;
}

KERNEL forces(const Place* place, const float* mass, const int* child, Place* acceleration, int bodies, float size2,
              float inverse_theta2, float softening2) {
  int stack[DEEPEST * 7];
  float reach[DEEPEST * 7];
  int body = global_id(), top = 0;
  if (body >= bodies) return;
  Place p = place[body], sum = {0.0f, 0.0f, 0.0f};
  stack[top] = bodies;
  reach[top++] = size2 * inverse_theta2;
  while (top > 0) {
    int cell = stack[--top];
    float limit = reach[top];
    for (int k = 0; k < 8; ++k) {
      int c = child[(cell - bodies) * 8 + k];
      if (c < 0 || c == body) continue;
      float dx = place[c].x - p.x, dy = place[c].y - p.y, dz = place[c].z - p.z;
      float r2 = dx * dx + dy * dy + dz * dz;
      // The child is half as wide as this cell.
      if (c < bodies || r2 >= 0.25f * limit) {
        float inverse = rsqrtf(r2 + softening2);
        float pull = mass[c] * inverse * inverse * inverse;
        sum.x += dx * pull;
        sum.y += dy * pull;
        sum.z += dz * pull;
      } else if (top < DEEPEST * 7) {
        stack[top] = c;
        reach[top++] = 0.25f * limit;
      }
    }
  }
  acceleration[body] = sum;
}
