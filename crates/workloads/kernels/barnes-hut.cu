// n-body with an octree (Barnes & Hut) as LonestarGPU's bh, with as many thread blocks as the GPU holds: they bound the
// bodies, build the tree with a lock in each child pointer, sum cells up from the leaves as soon as all children are ready,
// put the bodies into the order of the tree, and walk it a warp at a time with a stack in shared memory. A warp opens a cell
// if one of its bodies is too near, so its lanes never part; they rely on executing together and have no barrier.
//
// Nodes below `bodies` are bodies, `last_node` is the root, and cells are taken from there downwards. Bodies have no children:
// velocities, accelerations and the order lie in their part of `child`.
#include "device.h"

#define BOUND_THREADS 512
#define BUILD_THREADS 1024
#define SUM_THREADS 1024
#define SORT_THREADS 256
#define FORCE_THREADS 256
#define ADVANCE_THREADS 512
#define DEEPEST 32
#define LANES 32
#define NONE (-1)
#define LOCKED (-2)

__constant__ int last_node, bodies;
__constant__ float time_step, half_step, softening2, inverse_tolerance2;
typedef volatile float Floats;
typedef volatile int Ints;
__constant__ Floats *mass, *x, *y, *z, *vx, *vy, *vz, *ax, *ay, *az;
__constant__ Floats *low_x, *low_y, *low_z, *high_x, *high_y, *high_z;
__constant__ Ints *failed, *order, *child, *count, *start;
__device__ volatile int step, bottom, deepest;
__device__ uint blocks_done;
__device__ volatile float radius;

KERNEL initialize() {
  *failed = 0;
  step = -1;
  deepest = 1;
  blocks_done = 0;
}

DEV float smaller(float a, float b) { return __builtin_fminf(a, b); }
DEV float larger(float a, float b) { return __builtin_fmaxf(a, b); }

// The cube around all bodies. The last thread block to end makes the root.
KERNEL __launch_bounds__(BOUND_THREADS, 3) bound() {
  __shared__ Floats lows[3][BOUND_THREADS], highs[3][BOUND_THREADS];
  int i = threadIdx.x;
  float low[3], high[3];
  low[0] = high[0] = x[0];
  low[1] = high[1] = y[0];
  low[2] = high[2] = z[0];
  for (int j = i + blockIdx.x * BOUND_THREADS; j < bodies; j += BOUND_THREADS * gridDim.x) {
    float place[3] = {x[j], y[j], z[j]};
    for (int axis = 0; axis < 3; ++axis) {
      low[axis] = smaller(low[axis], place[axis]);
      high[axis] = larger(high[axis], place[axis]);
    }
  }
  for (int axis = 0; axis < 3; ++axis) {
    lows[axis][i] = low[axis];
    highs[axis][i] = high[axis];
  }
  for (int half = BOUND_THREADS / 2; half > 0; half /= 2) {
    __syncthreads();
    if (i >= half) continue;
    for (int axis = 0; axis < 3; ++axis) {
      lows[axis][i] = low[axis] = smaller(low[axis], lows[axis][i + half]);
      highs[axis][i] = high[axis] = larger(high[axis], highs[axis][i + half]);
    }
  }
  if (i != 0) return;
  int own = blockIdx.x;
  low_x[own] = low[0], high_x[own] = high[0];
  low_y[own] = low[1], high_y[own] = high[1];
  low_z[own] = low[2], high_z[own] = high[2];
  __threadfence();
  int others = gridDim.x - 1;
  if (atomicInc(&blocks_done, others) != (uint)others) return;
  for (int block = 0; block <= others; ++block) {
    low[0] = smaller(low[0], low_x[block]), high[0] = larger(high[0], high_x[block]);
    low[1] = smaller(low[1], low_y[block]), high[1] = larger(high[1], high_y[block]);
    low[2] = smaller(low[2], low_z[block]), high[2] = larger(high[2], high_z[block]);
  }
  radius = larger(larger(high[0] - low[0], high[1] - low[1]), high[2] - low[2]) * 0.5f;
  bottom = last_node;
  mass[last_node] = -1.0f;
  start[last_node] = 0;
  x[last_node] = (low[0] + high[0]) * 0.5f;
  y[last_node] = (low[1] + high[1]) * 0.5f;
  z[last_node] = (low[2] + high[2]) * 0.5f;
  for (int k = 0; k < 8; ++k) child[last_node * 8 + k] = NONE;
  step = step + 1;
}

struct Place { float x, y, z; };

DEV Place place_of(int node) { return {x[node], y[node], z[node]}; }
DEV int octant(Place centre, Place p) { return (centre.x < p.x) + (centre.y < p.y) * 2 + (centre.z < p.z) * 4; }

// A new cell without children, whose centre is that of octant `branch` of `above`; `r` is half of the octant's width.
DEV int new_cell(int above, int branch, float r, Place* centre) {
  int cell = atomicSub((int*)&bottom, 1) - 1;
  if (cell <= bodies) {
    *failed = 1;
    bottom = last_node;
  }
  float width = 2.0f * r;
  mass[cell] = -1.0f;
  start[cell] = NONE;
  centre->x = x[cell] = x[above] - r + (branch & 1) * width;
  centre->y = y[cell] = y[above] - r + (branch >> 1 & 1) * width;
  centre->z = z[cell] = z[above] - r + (branch >> 2 & 1) * width;
  for (int k = 0; k < 8; ++k) child[cell * 8 + k] = NONE;
  return cell;
}

KERNEL __launch_bounds__(BUILD_THREADS, 1) build_tree() {
  Place root = place_of(last_node), p;
  float root_radius = radius, r;
  int deepest_here = 1, depth, node, branch;
  bool is_new = true;
  int body = global_id();
  while (body < bodies) {
    if (is_new) {
      is_new = false;
      p = place_of(body);
      node = last_node;
      depth = 1;
      r = root_radius;
      branch = octant(root, p);
    }
    int there = child[node * 8 + branch];
    while (there >= bodies) {
      node = there;
      ++depth;
      r *= 0.5f;
      branch = octant(place_of(node), p);
      there = child[node * 8 + branch];
    }
    // A child pointer that is locked is tried again in the next turn.
    int locked = node * 8 + branch;
    if (there != LOCKED && atomicCAS((int*)&child[locked], there, LOCKED) == there) {
      if (there == NONE) {
        child[locked] = body;
      } else {
        // A body is there already: cells grow until the two part.
        int grown = NONE;
        do {
          ++depth;
          r *= 0.5f;
          Place centre;
          int cell = new_cell(node, branch, r, &centre);
          grown = max(grown, cell);
          if (grown != cell) child[node * 8 + branch] = cell;
          child[cell * 8 + octant(centre, place_of(there))] = there;
          node = cell;
          branch = octant(centre, p);
          there = child[node * 8 + branch];
        } while (there >= 0);
        child[node * 8 + branch] = body;
        __threadfence();
        child[locked] = grown;
      }
      deepest_here = max(depth, deepest_here);
      body += global_threads();
      is_new = true;
    }
    __syncthreads();  // Keeps waiting threads from filling the memory system.
  }
  atomicMax((int*)&deepest, deepest_here);
}

// Cells from the deepest on. Children that are not ready are remembered in shared memory and looked at again.
KERNEL __launch_bounds__(SUM_THREADS, 1) summarize() {
  __shared__ Ints waiting[8 * SUM_THREADS];
  int lowest = bottom, threads = global_threads();
  int cell = (lowest & -LANES) + global_id();
  if (cell < lowest) cell += threads;
  int missing = 0, below = 0;
  float total = 0.0f;
  Place sum = {0.0f, 0.0f, 0.0f};
  auto add = [&](int c, float m) {
    if (c >= bodies) below += count[c] - 1;
    total += m;
    sum.x += x[c] * m;
    sum.y += y[c] * m;
    sum.z += z[c] * m;
  };
  while (cell <= last_node) {
    if (missing == 0) {
      total = 0.0f;
      sum = {0.0f, 0.0f, 0.0f};
      below = 0;
      int children = 0;
      for (int k = 0; k < 8; ++k) {
        int c = child[cell * 8 + k];
        if (c < 0) continue;
        if (k != children) {
          // Children move to the front, so that a walk can end at the first that is missing.
          child[cell * 8 + k] = NONE;
          child[cell * 8 + children] = c;
        }
        waiting[missing * SUM_THREADS + threadIdx.x] = c;
        float m = mass[c];
        if (m >= 0.0f) add(c, m);
        else ++missing;
        ++children;
      }
      below += children;
    }
    if (missing != 0) {
      float m;
      do {
        int c = waiting[(missing - 1) * SUM_THREADS + threadIdx.x];
        m = mass[c];
        if (m >= 0.0f) {
          --missing;
          add(c, m);
        }
      } while (m >= 0.0f && missing != 0);
    }
    if (missing == 0) {
      count[cell] = below;
      float inverse = 1.0f / total;
      x[cell] = sum.x * inverse;
      y[cell] = sum.y * inverse;
      z[cell] = sum.z * inverse;
      __threadfence();
      mass[cell] = total;
      cell += threads;
    }
  }
}

// From the root down: a cell whose place in the order is known gives its children theirs.
KERNEL __launch_bounds__(SORT_THREADS, 1) sort_bodies() {
  int lowest = bottom, threads = global_threads();
  int cell = last_node + 1 - threads + global_id();
  while (cell >= lowest) {
    int first = start[cell];
    if (first >= 0) {
      for (int k = 0; k < 8; ++k) {
        int c = child[cell * 8 + k];
        if (c >= bodies) {
          start[c] = first;
          first += count[c];
        } else if (c >= 0) {
          order[first] = c;
          ++first;
        }
      }
      cell -= threads;
    }
    __syncthreads();  // Keeps waiting threads from filling the memory system.
  }
}

KERNEL __launch_bounds__(FORCE_THREADS, 5) forces() {
  __shared__ Ints next[DEEPEST * FORCE_THREADS / LANES], node[DEEPEST * FORCE_THREADS / LANES];
  __shared__ float reach[DEEPEST * FORCE_THREADS / LANES];
  if (threadIdx.x == 0) {
    float width = radius;
    reach[0] = width * width * inverse_tolerance2;
    int level = 1;
    for (; level < deepest; ++level) {
      reach[level] = reach[level - 1] * 0.25f;
      reach[level - 1] += softening2;
    }
    reach[level - 1] += softening2;
    if (deepest > DEEPEST) *failed = deepest;
  }
  __syncthreads();
  if (deepest > DEEPEST) return;
  int lane = threadIdx.x % LANES, base = threadIdx.x / LANES * DEEPEST;
  // Every warp has a copy, so that one index serves the stack and this table.
  if (lane < DEEPEST) reach[lane + base] = reach[lane];
  __syncthreads();
  for (int k = global_id(); k < bodies; k += global_threads()) {
    int members = bodies - (k - lane);
    uint lanes = members >= LANES ? 0xffffffffu : (1u << members) - 1;
    int body = order[k];
    Place p = place_of(body);
    float sum_x = 0.0f, sum_y = 0.0f, sum_z = 0.0f;
    int depth = base;
    if (lane == 0) {
      node[base] = last_node;
      next[base] = 0;
    }
    while (depth >= base) {
      int t;
      while ((t = next[depth]) < 8) {
        int c = child[node[depth] * 8 + t];
        if (lane == 0) next[depth] = t + 1;
        if (c < 0) {
          // All children that follow are missing, too.
          depth = max(base, depth - 1);
          continue;
        }
        float dx = x[c] - p.x, dy = y[c] - p.y, dz = z[c] - p.z;
        float r2 = dx * dx + (dy * dy + (dz * dz + softening2));
        if (c < bodies || all_of(lanes, r2 >= reach[depth])) {
          float inverse = rsqrtf(r2);
          float pull = mass[c] * inverse * inverse * inverse;
          sum_x += dx * pull;
          sum_y += dy * pull;
          sum_z += dz * pull;
        } else {
          ++depth;
          if (lane == 0) {
            node[depth] = c;
            next[depth] = 0;
          }
        }
      }
      --depth;
    }
    if (step > 0) {
      vx[body] = vx[body] + (sum_x - ax[body]) * half_step;
      vy[body] = vy[body] + (sum_y - ay[body]) * half_step;
      vz[body] = vz[body] + (sum_z - az[body]) * half_step;
    }
    ax[body] = sum_x;
    ay[body] = sum_y;
    az[body] = sum_z;
  }
}

DEV void advance_axis(Floats* place, Floats* velocity, Floats* acceleration, int body) {
  float change = acceleration[body] * half_step;
  float half_way = velocity[body] + change;
  place[body] = place[body] + half_way * time_step;
  velocity[body] = half_way + change;
}

KERNEL __launch_bounds__(ADVANCE_THREADS, 3) advance() {
  for (int body = global_id(); body < bodies; body += global_threads()) {
    advance_axis(x, vx, ax, body);
    advance_axis(y, vy, ay, body);
    advance_axis(z, vz, az, body);
  }
}
