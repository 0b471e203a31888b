// Particle potentials in boxes: a thread block takes a home box and goes through its neighbours, positions in shared
// memory, forces added up in global memory, all in double precision, as Rodinia's lavaMD.
#include "device.h"

#define PER_BOX 100
#define THREADS 128
#define MOST_NEIGHBOURS 26

struct Particle {
  double v, x, y, z;
};

struct Neighbour {
  int x, y, z, number;
  long long first;
};

struct Box {
  int x, y, z, number;
  long long first;
  int neighbours;
  Neighbour neighbour[MOST_NEIGHBOURS];
};

KERNEL lavamd(double alpha, long long box_count, Box* boxes, Particle* particles, double* charges, Particle* forces) {
  int home_box = blockIdx.x, t = threadIdx.x, i = t;
  if (home_box >= box_count) return;
  __shared__ Particle home[PER_BOX];
  __shared__ Particle other[PER_BOX];
  __shared__ double charge[PER_BOX];
  double a2 = 2.0 * alpha * alpha;
  Particle* own = &particles[boxes[home_box].first];
  Particle* force = &forces[boxes[home_box].first];
  while (i < PER_BOX) {
    home[i] = own[i];
    i = i + THREADS;
  }
  i = t;
  __syncthreads();
  for (int k = 0; k < 1 + boxes[home_box].neighbours; ++k) {
    int box = k == 0 ? home_box : boxes[home_box].neighbour[k - 1].number;
    Particle* near = &particles[boxes[box].first];
    double* near_charge = &charges[boxes[box].first];
    while (i < PER_BOX) {
      other[i] = near[i];
      charge[i] = near_charge[i];
      i = i + THREADS;
    }
    i = t;
    __syncthreads();
    while (i < PER_BOX) {
      for (int j = 0; j < PER_BOX; ++j) {
        double r2 = home[i].v + other[j].v - (home[i].x * other[j].x + home[i].y * other[j].y + home[i].z * other[j].z);
        double v = exp(-(a2 * r2)), scale = 2 * v;
        double fx = scale * (home[i].x - other[j].x), fy = scale * (home[i].y - other[j].y);
        double fz = scale * (home[i].z - other[j].z);
        force[i].v += charge[j] * v;
        force[i].x += charge[j] * fx;
        force[i].y += charge[j] * fy;
        force[i].z += charge[j] * fz;
      }
      i = i + THREADS;
    }
    i = t;
    __syncthreads();
  }
}
