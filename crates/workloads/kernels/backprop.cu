// One training step of a two-layer perceptron, as Rodinia's backprop: the forward sums of 16 inputs a block go through
// shared memory and a tree; the weights are then adjusted with momentum.
#include "device.h"

#define HIDDEN 16
#define TILE 16

// weights[(input + 1) * (HIDDEN + 1) + hidden + 1]; row and column 0 are the biases.
KERNEL forward(const float* input, const float* weights, float* partial) {
  __shared__ float node[TILE];
  __shared__ float products[TILE][HIDDEN];
  int tx = threadIdx.x, ty = threadIdx.y, from = TILE * blockIdx.y + ty + 1;
  if (tx == 0) node[ty] = input[from];
  __syncthreads();
  products[ty][tx] = weights[from * (HIDDEN + 1) + tx + 1] * node[ty];
  __syncthreads();
  for (int width = 1; width < TILE; width *= 2) {
    if (ty % (2 * width) == 0) products[ty][tx] += products[ty + width][tx];
    __syncthreads();
  }
  if (ty == 0) partial[blockIdx.y * HIDDEN + tx] = products[0][tx];
}

KERNEL adjust(const float* delta, const float* input, float* weights, float* momentum) {
  const float rate = 0.3f, inertia = 0.3f;
  int tx = threadIdx.x, from = TILE * blockIdx.y + threadIdx.y + 1;
  int at = from * (HIDDEN + 1) + tx + 1;
  float change = rate * delta[tx + 1] * input[from] + inertia * momentum[at];
  weights[at] += change;
  momentum[at] = change;
  if (blockIdx.y == 0 && threadIdx.y == 0) {
    float bias = rate * delta[tx + 1] + inertia * momentum[tx + 1];
    weights[tx + 1] += bias;
    momentum[tx + 1] = bias;
  }
}
