// Tracking of points on a heart's wall through ultrasound frames: a block takes a point, correlates its template with
// every position of a search window around the last place, and moves to the best one; the template then adapts.
#include "device.h"

#define TEMPLATE 16
#define REACH 6
#define SIDE (2 * REACH + 1)
#define THREADS 192

// Frames are 8-bit grey values, as the scanner delivers them; templates are averages and need fractions.
KERNEL heartwall(const uchar* frame, int width, int height, float* templates, int* xs, int* ys, float* scores,
                 float memory) {
  __shared__ float wanted[TEMPLATE * TEMPLATE];
  __shared__ float score[SIDE * SIDE];
  __shared__ float best_score[THREADS];
  __shared__ int best_at[THREADS];
  int point = blockIdx.x, t = threadIdx.x, x0 = xs[point], y0 = ys[point];
  float* mine = templates + point * TEMPLATE * TEMPLATE;
  for (int i = t; i < TEMPLATE * TEMPLATE; i += THREADS) wanted[i] = mine[i];
  __syncthreads();

  float most = -2.0f;
  int place = 0;
  for (int p = t; p < SIDE * SIDE; p += THREADS) {
    int left = x0 + p % SIDE - REACH - TEMPLATE / 2, top = y0 + p / SIDE - REACH - TEMPLATE / 2;
    float sum = 0.0f, squares = 0.0f, product = 0.0f, own = 0.0f, own_squares = 0.0f;
    for (int i = 0; i < TEMPLATE * TEMPLATE; ++i) {
      int x = min(max(left + i % TEMPLATE, 0), width - 1), y = min(max(top + i / TEMPLATE, 0), height - 1);
      float pixel = frame[y * width + x] / 255.0f, w = wanted[i];
      sum += pixel;
      squares += pixel * pixel;
      product += pixel * w;
      own += w;
      own_squares += w * w;
    }
    const float n = TEMPLATE * TEMPLATE;
    float covariance = product - sum * own / n;
    float spread = (squares - sum * sum / n) * (own_squares - own * own / n);
    float correlation = spread > 0.0f ? covariance * rsqrtf(spread) : 0.0f;
    score[p] = correlation;
    if (correlation > most) {
      most = correlation;
      place = p;
    }
  }
  best_score[t] = most;
  best_at[t] = place;
  __syncthreads();
  if (t == 0) {
    for (int i = 1; i < THREADS && i < SIDE * SIDE; ++i)
      if (best_score[i] > most || (best_score[i] == most && best_at[i] < place)) {
        most = best_score[i];
        place = best_at[i];
      }
    xs[point] = x0 + place % SIDE - REACH;
    ys[point] = y0 + place / SIDE - REACH;
    scores[point] = most;
    best_at[0] = place;
  }
  __syncthreads();
  int left = x0 + best_at[0] % SIDE - REACH - TEMPLATE / 2, top = y0 + best_at[0] / SIDE - REACH - TEMPLATE / 2;
  for (int i = t; i < TEMPLATE * TEMPLATE; i += THREADS) {
    int x = min(max(left + i % TEMPLATE, 0), width - 1), y = min(max(top + i / TEMPLATE, 0), height - 1);
    mine[i] = memory * wanted[i] + (1.0f - memory) * (frame[y * width + x] / 255.0f);
  }
}
