// Particle potentials in boxes: a block takes a home box and goes through its neighbours, positions in shared memory, all
// in double precision, as Rodinia's lavaMD.
#include "device.h"

#define PER_BOX 100
#define THREADS 128
#define MOST_NEIGHBOURS 26

struct Particle { double v, x, y, z; };
struct Box { int first; int neighbours; int neighbour[MOST_NEIGHBOURS]; };

KERNEL lavamd(double a2, const Box* boxes, const Particle* particles, const double* charges, Particle* forces) {
  __shared__ Particle home[PER_BOX], other[PER_BOX];
  __shared__ double charge[PER_BOX];
  const Box* mine = &boxes[blockIdx.x];
  int t = threadIdx.x;
  for (int i = t; i < PER_BOX; i += THREADS) home[i] = particles[mine->first + i];
  __syncthreads();
  for (int k = 0; k <= mine->neighbours; ++k) {
    int first = k == 0 ? mine->first : boxes[mine->neighbour[k - 1]].first;
    for (int i = t; i < PER_BOX; i += THREADS) {
      other[i] = particles[first + i];
      charge[i] = charges[first + i];
    }
    __syncthreads();
    for (int i = t; i < PER_BOX; i += THREADS) {
      Particle sum = forces[mine->first + i];
      for (int j = 0; j < PER_BOX; ++j) {
        double r2 = home[i].v + other[j].v -
                    (home[i].x * other[j].x + home[i].y * other[j].y + home[i].z * other[j].z);
        double v = exp(-a2 * r2), scale = 2.0 * v * charge[j];
        sum.v += charge[j] * v;
        sum.x += scale * (home[i].x - other[j].x);
        sum.y += scale * (home[i].y - other[j].y);
        sum.z += scale * (home[i].z - other[j].z);
      }
      forces[mine->first + i] = sum;
    }
    __syncthreads();
  }
}
