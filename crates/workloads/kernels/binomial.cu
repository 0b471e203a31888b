// European options by the binomial tree, as the CUDA SDK 4's binomialOptions: a thread block of 256 takes an option. The values of a
// time step lie in global memory; the block walks over them in overlapping pieces of 256, moves each piece 32 steps back in shared
// memory, alternating between two arrays, and writes back what does not depend on values outside the piece.
#include "device.h"

#define MOST_OPTIONS 1024
#define PIECE 256
#define STEPS_BACK 32
#define ADVANCE (PIECE - STEPS_BACK)

struct Option { float stock, strike, drift, up, down; };
__constant__ Option options[MOST_OPTIONS];

KERNEL binomial(float* prices, float* values, int steps) {
  __shared__ float even[PIECE + 1], odd[PIECE + 1];
  float* value = values + blockIdx.x * (steps + 16);
  int t = threadIdx.x;
  Option option = options[blockIdx.x];
  for (int i = t; i <= steps; i += PIECE) {
    float payoff = option.stock * __expf(option.drift * (2.0f * i - steps)) - option.strike;
    value[i] = payoff > 0.0f ? payoff : 0.0f;
  }
  for (int last = steps; last > 0; last -= STEPS_BACK)
    for (int base = 0; base < last; base += ADVANCE) {
      int start = min(PIECE - 1, last - base), end = start - STEPS_BACK;
      __syncthreads();
      if (t <= start) even[t] = value[base + t];
#pragma unroll 4
      for (int k = 0; k < STEPS_BACK; k += 2) {
        __syncthreads();
        odd[t] = option.up * even[t + 1] + option.down * even[t];
        __syncthreads();
        even[t] = option.up * odd[t + 1] + option.down * odd[t];
      }
      __syncthreads();
      if (t <= end) value[base + t] = even[t];
    }
  if (t == 0) prices[blockIdx.x] = even[0];
}
