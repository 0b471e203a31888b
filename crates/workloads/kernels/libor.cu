// LIBOR market model by Monte Carlo: a thread a path (Giles & Xiaoke's benchmark, in the form of the ISPASS-2009 suite). The first
// kernel values a portfolio of swaptions; the second also has the sensitivity to the last forward rate by reverse-mode
// differentiation, for which it keeps every forward rate of every step. All arrays are local memory, indexed at run time. Literals
// without suffix are double precision, as in the original: sums with them are computed in double and rounded.
#include "device.h"

#define MOST_RATES 80
#define MOST_STEPS 40
#define OPTIONS 15

__constant__ int rates, steps, options, maturities[OPTIONS];
__constant__ float interval, swap_rates[OPTIONS], volatility[MOST_RATES];

DEV void start_path(float* rate, float* shock) {
  for (int i = 0; i < rates; ++i) {
    shock[i] = 0.3;
    rate[i] = 0.05;
  }
}

// One step of all rates beyond `step`; KEEPS stores the new rates in row `step` + 1 of `history`.
template <bool KEEPS> DEV void evolve(float* rate, const float* shock, float* history) {
  for (int step = 0; step < steps; ++step) {
    float root = sqrtf(interval) * shock[step], drift = 0.0f;
    for (int i = step + 1; i < rates; ++i) {
      float sigma = volatility[i - step - 1], scaled = interval * sigma;
      drift += __fdividef(scaled * rate[i], 1.0 + interval * rate[i]);
      rate[i] = rate[i] * __expf(scaled * drift + sigma * (root - 0.5 * scaled));
      if (KEEPS) history[i + (step + 1) * rates] = rate[i];
    }
  }
}

DEV float discount_to_start(const float* rate) {
  float bond = 1.0f;
  for (int step = 0; step < steps; ++step) bond = bond / (1.0 + interval * rate[step]);
  return bond;
}

KERNEL libor_value(float* values, int paths) {
  float rate[MOST_RATES], shock[MOST_RATES], bonds[MOST_RATES], annuities[MOST_RATES];
  for (int path = global_id(); path < paths; path += global_threads()) {
    start_path(rate, shock);
    evolve<false>(rate, shock, nullptr);
    float bond = 1.0f, annuity = 0.0f, value = 0.0f;
    for (int i = steps; i < rates; ++i) {
      bond = bond / (1.0 + interval * rate[i]);
      annuity = annuity + interval * bond;
      bonds[i - steps] = bond;
      annuities[i - steps] = annuity;
    }
    for (int option = 0; option < options; ++option) {
      int m = maturities[option] - 1;
      float swap = bonds[m] + swap_rates[option] * annuities[m] - 1.0;
      if (swap < 0) value += -100.0 * swap;
    }
    values[path] = discount_to_start(rate) * value;
  }
}

// The value, and its derivatives by the rates in place of the rates.
DEV float value_and_slopes(float* rate) {
  float bonds[MOST_RATES], annuities[MOST_RATES], bond_slopes[MOST_RATES], annuity_slopes[MOST_RATES];
  int years = rates - steps;
  float bond = 1.0f, annuity = 0.0f, value = 0.0f;
  for (int m = 0; m < years; ++m) {
    bond = __fdividef(bond, 1.0 + interval * rate[m + steps]);
    annuity = annuity + interval * bond;
    bonds[m] = bond;
    annuities[m] = annuity;
  }
  for (int m = 0; m < years; ++m) {
    bond_slopes[m] = 0;
    annuity_slopes[m] = 0;
  }
  for (int option = 0; option < options; ++option) {
    int m = maturities[option] - 1;
    float swap = bonds[m] + swap_rates[option] * annuities[m] - 1.0;
    if (swap < 0) {
      value += -100 * swap;
      annuity_slopes[m] += -100 * swap_rates[option];
      bond_slopes[m] += -100;
    }
  }
  for (int m = years - 1; m >= 0; --m) {
    int i = m + steps;
    bond_slopes[m] += interval * annuity_slopes[m];
    float growth = 1.0 + interval * rate[i];
    rate[i] = -bond_slopes[m] * bonds[m] * __fdividef(interval, growth);
    if (m > 0) {
      annuity_slopes[m - 1] += annuity_slopes[m];
      bond_slopes[m - 1] += __fdividef(bond_slopes[m], growth);
    }
  }
  bond = discount_to_start(rate);
  value = bond * value;
  for (int i = 0; i < steps; ++i) rate[i] = -value * interval / (1.0 + interval * rate[i]);
  for (int i = steps; i < rates; ++i) rate[i] = bond * rate[i];
  return value;
}

// Back through the steps: slopes by the rates at the end become slopes by the rates at the start.
DEV void slopes_to_start(float* slope, const float* history) {
  for (int step = steps - 1; step >= 0; --step) {
    float sum = 0.0f;
    for (int i = rates - 1; i > step; --i) {
      float after = history[i + (step + 1) * rates], before = history[i + step * rates], sigma = volatility[i - step - 1];
      sum += sigma * after * slope[i];
      float factor = __fdividef(interval, 1.0 + interval * before);
      slope[i] = slope[i] * __fdividef(after, before) + sum * sigma * factor * factor;
    }
  }
}

KERNEL libor_slope(float* values, float* slopes, int paths) {
  float rate[MOST_RATES], history[MOST_RATES * (MOST_STEPS + 1)], shock[MOST_RATES];
  for (int path = global_id(); path < paths; path += global_threads()) {
    start_path(rate, shock);
    for (int i = 0; i < rates; ++i) history[i] = rate[i];
    evolve<true>(rate, shock, history);
    values[path] = value_and_slopes(rate);
    slopes_to_start(rate, history);
    slopes[path] = rate[rates - 1];
  }
}
