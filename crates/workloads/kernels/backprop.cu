// One training step of a two-layer perceptron, as Rodinia's backprop: 16 × 16 threads multiply 16 inputs with their
// weights in shared memory, sum them in a tree and leave the tree in place of the weights; a second kernel adjusts the
// weights with momentum.
#include "device.h"

#define HIDDEN 16
#define TILE 16

// weights[(input + 1) * (hidden + 1) + unit + 1]; row and column 0 are the biases.
KERNEL forward(const float* input, float* hidden_units, float* weights, float* partial, int inputs, int hidden) {
  __shared__ float node[TILE];
  __shared__ float products[TILE][HIDDEN];
  int tx = threadIdx.x, ty = threadIdx.y;
  int at = (hidden + 1) * TILE * blockIdx.y + (hidden + 1) * ty + tx + 1 + (hidden + 1);
  int from = TILE * blockIdx.y + ty + 1;
  if (tx == 0) node[ty] = input[from];
  __syncthreads();
  products[ty][tx] = weights[at];
  __syncthreads();
  products[ty][tx] = products[ty][tx] * node[ty];
  __syncthreads();
#pragma unroll
  for (int width = 2; width <= TILE; width *= 2) {
    if (ty % width == 0) products[ty][tx] = products[ty][tx] + products[ty + width / 2][tx];
    __syncthreads();
  }
  weights[at] = products[ty][tx];
  __syncthreads();
  if (tx == 0) partial[blockIdx.y * hidden + ty] = products[tx][ty];
}

KERNEL adjust(float* delta, int hidden, float* input, int inputs, float* weights, float* momentum) {
  // Constants in double precision, as in the original.
  const double rate = 0.3, inertia = 0.3;
  int tx = threadIdx.x, ty = threadIdx.y;
  int at = (hidden + 1) * TILE * blockIdx.y + (hidden + 1) * ty + tx + 1 + (hidden + 1);
  int from = TILE * blockIdx.y + ty + 1, unit = tx + 1;
  // Every use is read again: the compiler may not assume that the arrays are apart.
  weights[at] += rate * delta[unit] * input[from] + inertia * momentum[at];
  momentum[at] = rate * delta[unit] * input[from] + inertia * momentum[at];
  __syncthreads();
  if (ty == 0 && blockIdx.y == 0) {
    weights[unit] += rate * delta[unit] + inertia * momentum[unit];
    momentum[unit] = rate * delta[unit] + inertia * momentum[unit];
  }
}
