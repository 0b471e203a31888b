// European options by the binomial tree: a block takes an option, its threads walk back through the tree in shared
// memory.
#include "device.h"

#define STEPS 256

struct Option { float stock, strike, years; };

KERNEL binomial(const Option* options, float* prices, float rate, float volatility) {
  __shared__ float value[STEPS + 1];
  Option option = options[blockIdx.x];
  float dt = option.years / STEPS;
  float drift = volatility * sqrtf(dt);
  float up = expf(drift), down = expf(-drift), growth = expf(rate * dt), discount = expf(-rate * dt);
  float p_up = (growth - down) / (up - down), pu = p_up * discount, pd = (1.0f - p_up) * discount;
  for (int i = threadIdx.x; i <= STEPS; i += blockDim.x) {
    float payoff = option.stock * expf(drift * (2.0f * i - STEPS)) - option.strike;
    value[i] = payoff > 0.0f ? payoff : 0.0f;
  }
  for (int last = STEPS; last > 0; --last) {
    __syncthreads();
    float next = (int)threadIdx.x < last ? pu * value[threadIdx.x + 1] + pd * value[threadIdx.x] : 0.0f;
    __syncthreads();
    if ((int)threadIdx.x < last) value[threadIdx.x] = next;
  }
  if (threadIdx.x == 0) prices[blockIdx.x] = value[0];
}
