/* Heat that spreads on a plate: a five-point stencil over single-precision numbers.
 * usage: heat [SIDE [STEPS [OUTPUT]]]
 * OUTPUT gets the plate's temperatures, raw, row by row. */
#include "check.h"
#include <math.h>
#include <stdlib.h>

__global__ void spread(const float *before, float *after, int side) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= side || y >= side)
    return;
  int at = y * side + x;
  float here = before[at];
  float left = x > 0 ? before[at - 1] : here, right = x < side - 1 ? before[at + 1] : here;
  float above = y > 0 ? before[at - side] : here, below = y < side - 1 ? before[at + side] : here;
  after[at] = here + 0.2f * (left + right + above + below - 4.0f * here);
}

int main(int count, char **words) {
  int side = count > 1 ? atoi(words[1]) : 256, steps = count > 2 ? atoi(words[2]) : 8;
  REQUIRE(side > 0 && side <= 4096 && steps > 0);
  size_t bytes = sizeof(float) * side * side;
  float *plate = (float *)malloc(bytes);
  /* A cold plate with a hot square, and a slope along one edge. */
  for (int y = 0; y < side; y++)
    for (int x = 0; x < side; x++) {
      bool is_hot = 4 * x > side && 2 * x < side && 4 * y > side && 2 * y < side;
      plate[y * side + x] = is_hot ? 100.0f : y < side / 8 ? 20.0f * x / side : 0.0f;
    }
  double heat = 0;
  for (int i = 0; i < side * side; i++)
    heat += plate[i];
  float *device[2];
  for (int i = 0; i < 2; i++)
    CHECK(cudaMalloc(&device[i], bytes));
  CHECK(cudaMemcpy(device[0], plate, bytes, cudaMemcpyHostToDevice));
  dim3 block(32, 8), grid((side + 31) / 32, (side + 7) / 8);
  for (int step = 0; step < steps; step++)
    spread<<<grid, block>>>(device[step % 2], device[(step + 1) % 2], side);
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpy(plate, device[steps % 2], bytes, cudaMemcpyDeviceToHost));
  double left = 0;
  for (int i = 0; i < side * side; i++)
    left += plate[i];
  if (count > 3) {
    FILE *output = fopen(words[3], "wb");
    REQUIRE(output && fwrite(plate, bytes, 1, output) == 1 && fclose(output) == 0);
  }
  printf("heat: %.1f of %.1f are left on a plate of %d x %d after %d steps\n", left, heat, side, side, steps);
  return 0;
}
