// Speckle-reducing anisotropic diffusion: the diffusion coefficient of every pixel from its neighbours, then the update,
// two kernels a step, tiles in shared memory as Rodinia's srad_v2.
#include "device.h"

#define TILE 16

DEV float at(const float* image, int y, int x, int rows, int columns) {
  return image[min(max(y, 0), rows - 1) * columns + min(max(x, 0), columns - 1)];
}

KERNEL coefficients(const float* image, float* c, float* north, float* south, float* west, float* east, int columns,
                    int rows, float q0) {
  __shared__ float tile[TILE][TILE];
  int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y, index = y * columns + x;
  int tx = threadIdx.x, ty = threadIdx.y;
  bool is_inside = x < columns && y < rows;
  if (is_inside) tile[ty][tx] = image[index];
  __syncthreads();
  if (!is_inside) return;
  float j = tile[ty][tx];
  float n = (ty > 0 ? tile[ty - 1][tx] : at(image, y - 1, x, rows, columns)) - j;
  float s = (ty < TILE - 1 && y < rows - 1 ? tile[ty + 1][tx] : at(image, y + 1, x, rows, columns)) - j;
  float w = (tx > 0 ? tile[ty][tx - 1] : at(image, y, x - 1, rows, columns)) - j;
  float e = (tx < TILE - 1 && x < columns - 1 ? tile[ty][tx + 1] : at(image, y, x + 1, rows, columns)) - j;
  float gradient = (n * n + s * s + w * w + e * e) / (j * j), laplacian = (n + s + w + e) / j;
  float numerator = 0.5f * gradient - 0.0625f * laplacian * laplacian, denominator = 1.0f + 0.25f * laplacian;
  float q = numerator / (denominator * denominator);
  float value = 1.0f / (1.0f + (q - q0) / (q0 * (1.0f + q0)));
  c[index] = fminf(fmaxf(value, 0.0f), 1.0f);
  north[index] = n;
  south[index] = s;
  west[index] = w;
  east[index] = e;
}

KERNEL diffuse(float* image, const float* c, const float* north, const float* south, const float* west,
               const float* east, int columns, int rows, float lambda) {
  int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y, index = y * columns + x;
  if (x >= columns || y >= rows) return;
  float here = c[index], below = at(c, y + 1, x, rows, columns), right = at(c, y, x + 1, rows, columns);
  float divergence = here * north[index] + below * south[index] + here * west[index] + right * east[index];
  image[index] += 0.25f * lambda * divergence;
}
