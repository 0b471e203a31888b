// n-body with an octree (Barnes & Hut) as LonestarGPU 2.0's bh (BarnesHut 3.1), with as many thread blocks as the GPU holds:
// they bound the bodies, build the tree with locks in its child pointers, sum cells up from the leaves as soon as all children
// are ready, put the bodies into the order of the tree, and walk it a warp at a time with a stack in shared memory. A warp opens
// a cell if one of its bodies is too near, so its lanes never part; they rely on executing together and have no barrier.
//
// Nodes below `bodies` are bodies, `root` is the last node, and cells are taken from there downwards.
#include "device.h"

#define BOUND_THREADS 512
#define BUILD_THREADS 512
#define CLEAR_THREADS 1024
#define SUM_THREADS 128
#define SORT_THREADS 64
#define FORCE_THREADS 256
#define ADVANCE_THREADS 1024
#define DEEPEST 32
#define LANES 32
#define EARLY_PASSES 5
#define NONE (-1)
#define LOCKED (-2)

typedef volatile float Floats;
typedef volatile int Ints;
__device__ volatile int step, bottom, deepest;
__device__ uint blocks_done;
__device__ volatile float radius;

struct Place { float x, y, z; };

KERNEL initialize(int* __restrict__ failed) {
  *failed = 0;
  step = -1;
  deepest = 1;
  blocks_done = 0;
}

DEV float smaller(float a, float b) { return __builtin_fminf(a, b); }
DEV float larger(float a, float b) { return __builtin_fmaxf(a, b); }

// The cube around all bodies. The last thread block to end makes the root.
KERNEL __launch_bounds__(BOUND_THREADS, 3)
bound(int root, int bodies, Ints* __restrict__ start, Ints* __restrict__ child, Floats* __restrict__ mass,
      Floats* __restrict__ x, Floats* __restrict__ y, Floats* __restrict__ z, Floats* __restrict__ high_x,
      Floats* __restrict__ high_y, Floats* __restrict__ high_z, Floats* __restrict__ low_x, Floats* __restrict__ low_y,
      Floats* __restrict__ low_z) {
  load_parameters(root, bodies, start, child, mass, x, y, z, high_x, high_y, high_z, low_x, low_y, low_z);
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
  bottom = root;
  mass[root] = -1.0f;
  start[root] = 0;
  x[root] = (low[0] + high[0]) * 0.5f;
  y[root] = (low[1] + high[1]) * 0.5f;
  z[root] = (low[2] + high[2]) * 0.5f;
  for (int k = 0; k < 8; ++k) child[root * 8 + k] = NONE;
  step = step + 1;
}

// The first index from `from` on that the thread takes: whole warps begin at multiples of their width.
DEV int first_of_thread(int from) {
  int first = (from & -LANES) + global_id();
  return first < from ? first + global_threads() : first;
}

KERNEL __launch_bounds__(CLEAR_THREADS, 1) clear_children(int root, int bodies, Ints* __restrict__ child) {
  load_parameters(root, bodies, child);
  int end = 8 * root, threads = global_threads();
  for (int k = first_of_thread(8 * bodies); k < end; k += threads) child[k] = NONE;
}

DEV int octant(Place centre, Place p) { return (centre.x < p.x) | (centre.y < p.y) << 1 | (centre.z < p.z) << 2; }

// Goes on to the octant that a place is in, whose centre is `r` away on each axis.
DEV int enter_octant(Place* centre, Place p, float r) {
  int branch = 0;
  Place way = {-r, -r, -r};
  if (centre->x < p.x) branch = 1, way.x = r;
  if (centre->y < p.y) branch |= 2, way.y = r;
  if (centre->z < p.z) branch |= 4, way.z = r;
  centre->x += way.x, centre->y += way.y, centre->z += way.z;
  return branch;
}

KERNEL __launch_bounds__(BUILD_THREADS, 3)
build_tree(int root, int bodies, Ints* __restrict__ failed, Ints* __restrict__ child, Floats* __restrict__ x,
           Floats* __restrict__ y, Floats* __restrict__ z) {
  load_parameters(root, bodies, failed, child, x, y, z);
  enum { SEARCHES, IS_IN, HAS_GROWN };
  float root_radius = radius;
  Place root_place = {x[root], y[root], z[root]};
  int deepest_here = 1, state = IS_IN, threads = global_threads();
  int depth, node, branch, locked, grown;
  float r;
  Place p, centre;
  int body = global_id();
  while (body < bodies) {
    if (state != SEARCHES) {
      state = SEARCHES;
      p = {x[body], y[body], z[body]};
      node = root;
      depth = 1;
      r = root_radius * 0.5f;
      centre = root_place;
      branch = enter_octant(&centre, p, r);
    }
    int there = child[node * 8 + branch];
    while (there >= bodies) {
      node = there;
      ++depth;
      r *= 0.5f;
      branch = enter_octant(&centre, p, r);
      there = child[node * 8 + branch];
    }
    // A child pointer that is locked is tried again in the next turn.
    if (there != LOCKED) {
      locked = node * 8 + branch;
      if (there == NONE) {
        if (atomicCAS((int*)&child[locked], NONE, body) == NONE) {
          deepest_here = max(depth, deepest_here);
          body += threads;
          state = IS_IN;
        }
      } else if (atomicCAS((int*)&child[locked], there, LOCKED) == there) {
        // A body is there already: cells grow until the two part.
        grown = NONE;
        do {
          ++depth;
          int cell = atomicSub((int*)&bottom, 1) - 1;
          if (cell <= bodies) {
            *failed = 1;
            bottom = root;
          }
          if (grown != NONE) child[node * 8 + branch] = cell;
          grown = max(grown, cell);
          child[cell * 8 + octant(centre, {x[there], y[there], z[there]})] = there;
          node = cell;
          r *= 0.5f;
          branch = enter_octant(&centre, p, r);
          there = child[node * 8 + branch];
        } while (there >= 0);
        child[node * 8 + branch] = body;
        deepest_here = max(depth, deepest_here);
        body += threads;
        state = HAS_GROWN;
      }
    }
    __syncthreads();  // What has grown is in memory before others see it, and waiting threads do not fill the memory system.
    if (state == HAS_GROWN) child[locked] = grown;
  }
  atomicMax((int*)&deepest, deepest_here);
}

KERNEL __launch_bounds__(CLEAR_THREADS, 1)
clear_cells(int root, Ints* __restrict__ start, Floats* __restrict__ mass) {
  load_parameters(root, start, mass);
  int threads = global_threads();
  for (int k = first_of_thread(bottom); k < root; k += threads) {
    mass[k] = -1.0f;
    start[k] = NONE;
  }
}

// Cells from the deepest on: five passes in which a thread leaves out cells that are not ready, then one in which it waits.
KERNEL __launch_bounds__(SUM_THREADS, 6)
summarize(const int root, const int bodies, Ints* __restrict__ count, const int* __restrict__ child,
          Floats* __restrict__ mass, Floats* __restrict__ x, Floats* __restrict__ y, Floats* __restrict__ z) {
  load_parameters(root, bodies, count, child, mass, x, y, z);
  __shared__ int children[8 * SUM_THREADS];
  __shared__ float masses[8 * SUM_THREADS];
  int t = threadIdx.x, threads = global_threads(), first = first_of_thread(bottom), cell = first;
  float total;
  auto is_heavy = [&](int place, int c) { return (masses[place] = mass[c]) >= 0.0f; };
  auto add_children = [&] {
    total = 0.0f;
    Place sum = {0.0f, 0.0f, 0.0f};
    int below = 0;
    for (int k = 0; k < 8; ++k) {
      int c = children[k * SUM_THREADS + t];
      if (c < 0) continue;
      float m;
      if (c >= bodies) {
        m = masses[k * SUM_THREADS + t];
        below += count[c];
      } else {
        m = mass[c];
        ++below;
      }
      total += m;
      sum.x += x[c] * m;
      sum.y += y[c] * m;
      sum.z += z[c] * m;
    }
    count[cell] = below;
    float inverse = 1.0f / total;
    x[cell] = sum.x * inverse;
    y[cell] = sum.y * inverse;
    z[cell] = sum.z * inverse;
  };
  for (int pass = 0; pass < EARLY_PASSES; ++pass) {
    for (; cell <= root; cell += threads) {
      if (mass[cell] >= 0.0f) continue;
      int k = 0;
      for (; k < 8; ++k) {
        int place = k * SUM_THREADS + t;
        int c = child[cell * 8 + k];
        children[place] = c;
        if (c >= bodies && !is_heavy(place, c)) break;
      }
      if (k < 8) continue;
      add_children();
      __threadfence();
      mass[cell] = total;
    }
    cell = first;
  }
  bool is_ready = false;
  int missing = 0;
  while (cell <= root) {
    if (mass[cell] >= 0.0f) {
      cell += threads;
    } else {
      bool is_new = missing == 0;
      missing = 8;
      for (int k = 0; k < 8; ++k) {
        int place = k * SUM_THREADS + t;
        int c;
        if (is_new) children[place] = c = child[cell * 8 + k];
        else c = children[place];
        if (c < bodies || (!is_new && masses[place] >= 0.0f) || is_heavy(place, c)) --missing;
      }
      if (missing == 0) {
        add_children();
        is_ready = true;
      }
    }
    __syncthreads();  // A cell's sums are in memory before its mass says so.
    if (is_ready) {
      mass[cell] = total;
      cell += threads;
      is_ready = false;
    }
  }
}

// From the root down: a cell whose place in the order is known gives its children theirs. Children move to the front, so that a
// walk can end at the first that is missing.
KERNEL __launch_bounds__(SORT_THREADS, 6)
sort_bodies(int root, int bodies, int* __restrict__ order, int* __restrict__ count, Ints* __restrict__ start,
            int* __restrict__ child) {
  load_parameters(root, bodies, order, count, start, child);
  int lowest = bottom, threads = global_threads();
  int cell = root + 1 - threads + global_id();
  while (cell >= lowest) {
    int first = start[cell];
    if (first >= 0) {
      int front = 0;
      for (int k = 0; k < 8; ++k) {
        int c = child[cell * 8 + k];
        if (c < 0) continue;
        if (k != front) {
          child[cell * 8 + k] = NONE;
          child[cell * 8 + front] = c;
        }
        ++front;
        if (c >= bodies) {
          start[c] = first;
          first += count[c];
        } else {
          order[first] = c;
          ++first;
        }
      }
      cell -= threads;
    }
  }
}

// A vote by way of integers, as nvcc's __all compiles.
DEV bool all_lanes(uint lanes, bool condition) { return opaque(all_of(lanes, opaque((int)condition) != 0)) != 0; }

KERNEL __launch_bounds__(FORCE_THREADS, 5)
forces(int root, int bodies, Ints* __restrict__ failed, float half_step, float inverse_tolerance2, float softening2,
       Ints* __restrict__ order, Ints* __restrict__ child, Floats* __restrict__ mass, Floats* __restrict__ x,
       Floats* __restrict__ y, Floats* __restrict__ z, Floats* __restrict__ vx, Floats* __restrict__ vy,
       Floats* __restrict__ vz, Floats* __restrict__ ax, Floats* __restrict__ ay, Floats* __restrict__ az) {
  load_parameters(root, bodies, failed, half_step, inverse_tolerance2, softening2, order, child, mass, x, y, z, vx, vy, vz,
                  ax, ay, az);
  __shared__ Ints next[DEEPEST * FORCE_THREADS / LANES], node[DEEPEST * FORCE_THREADS / LANES];
  __shared__ float reach[DEEPEST * FORCE_THREADS / LANES];
  if (threadIdx.x == 0) {
    float width = radius * 2;
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
  __threadfence_block();
  for (int k = global_id(); k < bodies; k += global_threads()) {
    int members = bodies - (k - lane);
    uint lanes = members >= LANES ? 0xffffffffu : (1u << members) - 1;
    int body = order[k];
    Place p = {x[body], y[body], z[body]};
    float sum_x = 0.0f, sum_y = 0.0f, sum_z = 0.0f;
    int depth = base;
    if (lane == 0) {
      next[base] = 0;
      node[base] = root * 8;
    }
    do {
      int branch = next[depth], children = node[depth];
      while (branch < 8) {
        int c = child[children + branch];
        ++branch;
        if (c < 0) {
          branch = 8;  // All children that follow are missing, too.
          continue;
        }
        float dx = x[c] - p.x, dy = y[c] - p.y, dz = z[c] - p.z;
        float r2 = dx * dx + (dy * dy + (dz * dz + softening2));
        if (c < bodies || all_lanes(lanes, r2 >= reach[depth])) {
          float inverse = rsqrtf(r2);
          float pull = mass[c] * inverse * inverse * inverse;
          sum_x += dx * pull;
          sum_y += dy * pull;
          sum_z += dz * pull;
        } else {
          if (lane == 0) {
            next[depth] = branch;
            node[depth] = children;
          }
          ++depth;
          branch = 0;
          children = c * 8;
        }
      }
      --depth;
    } while (depth >= base);
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

KERNEL __launch_bounds__(ADVANCE_THREADS, 1)
advance(int bodies, float time_step, float half_step, Floats* __restrict__ x, Floats* __restrict__ y,
        Floats* __restrict__ z, Floats* __restrict__ vx, Floats* __restrict__ vy, Floats* __restrict__ vz,
        Floats* __restrict__ ax, Floats* __restrict__ ay, Floats* __restrict__ az) {
  load_parameters(bodies, time_step, half_step, x, y, z, vx, vy, vz, ax, ay, az);
  for (int body = global_id(); body < bodies; body += global_threads()) {
    Place change = {ax[body] * half_step, ay[body] * half_step, az[body] * half_step};
    Place half_way = {vx[body] + change.x, vy[body] + change.y, vz[body] + change.z};
    x[body] = x[body] + half_way.x * time_step;
    y[body] = y[body] + half_way.y * time_step;
    z[body] = z[body] + half_way.z * time_step;
    vx[body] = half_way.x + change.x;
    vy[body] = half_way.y + change.y;
    vz[body] = half_way.z + change.z;
  }
}
