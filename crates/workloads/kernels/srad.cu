// Speckle-reducing anisotropic diffusion, both programs of Rodinia.
//
// Version 1 keeps the picture by columns, one thread a pixel in blocks of 512; a pixel's neighbours come from index
// arrays, and the mean and variance of the picture from sums that are halved in shared memory, kernel after kernel.
// Version 2 keeps it by rows in tiles of 16 × 16 with the borders of the neighbours' tiles in shared memory.
#include "device.h"

#define THREADS 512
#define TILE 16

// Grey values 0 to 255 become exp of 0 to 1.
KERNEL extract(long long pixels, float* image) {
  int i = blockIdx.x * THREADS + threadIdx.x;
  if (i < pixels) image[i] = expf(image[i] / 255);
}

KERNEL compress(long long pixels, float* image) {
  int i = blockIdx.x * THREADS + threadIdx.x;
  if (i < pixels) image[i] = logf(image[i]) * 255;
}

KERNEL prepare(long long pixels, float* image, float* sums, float* squares) {
  int i = blockIdx.x * THREADS + threadIdx.x;
  if (i < pixels) {
    sums[i] = image[i];
    squares[i] = image[i] * image[i];
  }
}


// Each thread block leaves the sums of its 512 elements, which lie `stride` apart, in its first element. In the last
// block, which has fewer, one thread adds what a power of two leaves over; as in the original, from neighbouring
// elements also where the elements to be summed lie further apart.
KERNEL reduce(long long pixels, int count, int stride, float* sums, float* squares) {
  __shared__ float sum[THREADS], square[THREADS];
  int block = blockIdx.x, t = threadIdx.x, i = block * THREADS + t;
  int last_count = THREADS - (gridDim.x * THREADS - count);
  if (i < count) {
    sum[t] = sums[i * stride];
    square[t] = squares[i * stride];
  }
  __syncthreads();
  if (last_count == THREADS || block != gridDim.x - 1) {
    for (int width = 2; width <= THREADS; width = 2 * width) {
      if ((t + 1) % width == 0) {
        sum[t] = sum[t] + sum[t - width / 2];
        square[t] = square[t] + square[t - width / 2];
      }
      __syncthreads();
    }
    if (t == THREADS - 1) {
      sums[block * stride * THREADS] = sum[t];
      squares[block * stride * THREADS] = square[t];
    }
    return;
  }
  int whole = 0;
  for (int width = 2; width <= THREADS; width = 2 * width)
    if (last_count >= width) whole = width;
  for (int width = 2; width <= whole; width = 2 * width) {
    if ((t + 1) % width == 0 && t < whole) {
      sum[t] = sum[t] + sum[t - width / 2];
      square[t] = square[t] + square[t - width / 2];
    }
    __syncthreads();
  }
  if (t == whole - 1) {
    for (int rest = block * THREADS + whole; rest < block * THREADS + last_count; ++rest) {
      sum[t] = sum[t] + sums[rest];
      square[t] = square[t] + squares[rest];
    }
    sums[block * stride * THREADS] = sum[t];
    squares[block * stride * THREADS] = square[t];
  }
}

// The diffusion coefficient from a pixel and the differences to its four neighbours; constants in double precision, as in
// the original.
DEV float coefficient(float j, float n, float s, float w, float e, float q0) {
  float gradient = (n * n + s * s + w * w + e * e) / (j * j), laplacian = (n + s + w + e) / j;
  float numerator = (0.5 * gradient) - ((1.0 / 16.0) * (laplacian * laplacian));
  float denominator = 1 + (0.25 * laplacian);
  float q = numerator / (denominator * denominator);
  denominator = (q - q0) / (q0 * (1 + q0));
  float c = 1.0 / (1.0 + denominator);
  if (c < 0) c = 0;
  else if (c > 1) c = 1;
  return c;
}

struct Position {
  int row, column;
};

// Pixels are numbered column by column.
DEV Position position_of(int i, int rows) {
  int row = (i + 1) % rows - 1, column = (i + 1) / rows;
  if ((i + 1) % rows == 0) {
    row = rows - 1;
    column = column - 1;
  }
  return {row, column};
}

KERNEL coefficients_v1(int rows, int columns, long long pixels, int* above, int* below, int* right, int* left,
                       float* north, float* south, float* east, float* west, float q0, float* c, float* image) {
  int i = blockIdx.x * THREADS + threadIdx.x;
  auto [row, column] = position_of(i, rows);
  if (i >= pixels) return;
  float j = image[i];
  float n = image[above[row] + rows * column] - j, s = image[below[row] + rows * column] - j;
  float w = image[row + rows * left[column]] - j, e = image[row + rows * right[column]] - j;
  float value = coefficient(j, n, s, w, e, q0);
  north[i] = n;
  south[i] = s;
  west[i] = w;
  east[i] = e;
  c[i] = value;
}

KERNEL diffuse_v1(float lambda, int rows, int columns, long long pixels, int* below, int* right, float* north,
                  float* south, float* east, float* west, float* c, float* image) {
  int i = blockIdx.x * THREADS + threadIdx.x;
  auto [row, column] = position_of(i, rows);
  if (i >= pixels) return;
  float here = c[i], under = c[below[row] + rows * column], beside = c[row + rows * right[column]];
  float divergence = here * north[i] + under * south[i] + here * west[i] + beside * east[i];
  image[i] = image[i] + 0.25 * lambda * divergence;
}

KERNEL coefficients_v2(float* east, float* west, float* north, float* south, float* image, float* c, int columns,
                       int rows, float q0) {
  __shared__ float tile[TILE][TILE], result[TILE][TILE];
  __shared__ float above[TILE][TILE], below[TILE][TILE], right[TILE][TILE], left[TILE][TILE];
  int bx = blockIdx.x, by = blockIdx.y, x = threadIdx.x, y = threadIdx.y;
  int first = columns * TILE * by + TILE * bx, i = first + columns * y + x;
  // At the edge of the picture the tile's own border is its neighbour.
  above[y][x] = image[by == 0 ? TILE * bx + x : first + x - columns];
  below[y][x] = image[by == gridDim.y - 1 ? first + columns * (TILE - 1) + x : first + columns * TILE + x];
  __syncthreads();
  left[y][x] = image[bx == 0 ? first + columns * y : first + columns * y - 1];
  right[y][x] = image[bx == gridDim.x - 1 ? first + columns * y + TILE - 1 : first + columns * y + TILE];
  __syncthreads();
  tile[y][x] = image[i];
  __syncthreads();
  float j = tile[y][x];
  float n = (y == 0 ? above[y][x] : tile[y - 1][x]) - j;
  float s = (y == TILE - 1 ? below[y][x] : tile[y + 1][x]) - j;
  float w = (x == 0 ? left[y][x] : tile[y][x - 1]) - j;
  float e = (x == TILE - 1 ? right[y][x] : tile[y][x + 1]) - j;
  result[y][x] = coefficient(j, n, s, w, e, q0);
  __syncthreads();
  c[i] = result[y][x];
  east[i] = e;
  west[i] = w;
  south[i] = s;
  north[i] = n;
}

KERNEL diffuse_v2(float* east, float* west, float* north, float* south, float* image, float* c, int columns, int rows,
                  float lambda) {
  __shared__ float below[TILE][TILE], right[TILE][TILE], own[TILE][TILE], result[TILE][TILE], tile[TILE][TILE];
  int bx = blockIdx.x, by = blockIdx.y, x = threadIdx.x, y = threadIdx.y;
  int first = columns * TILE * by + TILE * bx, i = first + columns * y + x;
  tile[y][x] = image[i];
  __syncthreads();
  below[y][x] = c[by == gridDim.y - 1 ? first + columns * (TILE - 1) + x : first + columns * TILE + x];
  __syncthreads();
  right[y][x] = c[bx == gridDim.x - 1 ? first + columns * y + TILE - 1 : first + columns * y + TILE];
  __syncthreads();
  own[y][x] = c[i];
  __syncthreads();
  float here = own[y][x];
  float under = y == TILE - 1 ? below[y][x] : own[y + 1][x];
  float beside = x == TILE - 1 ? right[y][x] : own[y][x + 1];
  float divergence = here * north[i] + under * south[i] + here * west[i] + beside * east[i];
  result[y][x] = tile[y][x] + 0.25 * lambda * divergence;
  __syncthreads();
  image[i] = result[y][x];
}
