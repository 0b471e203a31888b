// LIBOR market model by Monte Carlo: a thread a path; forward rates evolve in local memory, then a portfolio of swaptions
// is valued on them (Giles & Xiaoke's benchmark).
#include "device.h"

#define RATES 40
#define STEPS 20
#define OPTIONS 15

__constant__ int maturities[OPTIONS] = {2, 4, 4, 6, 6, 8, 8, 10, 10, 12, 12, 14, 14, 16, 18};
__constant__ float swap_rates[OPTIONS] = {.045f, .05f, .055f, .045f, .05f, .055f, .045f, .05f,
                                          .055f, .045f, .05f,  .055f, .045f, .05f, .055f};

KERNEL libor(const float* normals, float* values, int paths, float start_rate, float volatility, float interval) {
  int path = global_id();
  if (path >= paths) return;
  float rate[RATES];
  for (int i = 0; i < RATES; ++i) rate[i] = start_rate;
  float root = sqrtf(interval);
  for (int n = 0; n < STEPS; ++n) {
    float shock = root * normals[n * paths + path], drift = 0.0f;
    for (int i = n + 1; i < RATES; ++i) {
      float step = volatility * interval;
      drift += step * volatility * rate[i] / (1.0f + interval * rate[i]);
      rate[i] *= expf(drift + volatility * (shock - 0.5f * step));
    }
  }
  float bond = 1.0f, annuity = 0.0f, value = 0.0f;
  int option = 0;
  for (int i = STEPS; i < RATES; ++i) {
    bond /= 1.0f + interval * rate[i];
    annuity += interval * bond;
    while (option < OPTIONS && i - STEPS + 1 == maturities[option]) {
      float swap = bond + swap_rates[option] * annuity - 1.0f;
      if (swap < 0.0f) value -= 100.0f * swap;
      ++option;
    }
  }
  for (int n = 0; n < STEPS; ++n) value /= 1.0f + interval * rate[n];
  values[path] = value;
}
