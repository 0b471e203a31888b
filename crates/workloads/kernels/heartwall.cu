// Tracking of points on a heart's walls through ultrasound frames, as Rodinia's heartwall: a thread block takes a point,
// correlates its template with every position of a window around it (a full convolution, and sums over every position by
// padded cumulative sums down the columns and along the rows), and moves the point to the best position near its last
// one. Every tenth frame the template adapts. Each point has its own buffers; all pictures are floats, column by column.
#include "device.h"

#define THREADS 256
#define MOST_POINTS 51
#define MOST_TEMPLATE_ROWS 51
#define MOST_CONVOLUTION_ROWS 131

// What all points share. Widths equal heights.
struct Common {
  int window_half, template_half, reach;
  float memory;
  int frames, frame_rows;
  int template_rows, window_rows, convolution_rows, padded_rows;
  int strip_rows, strip_columns;
};

// One point: where it is, where it was in every frame, its template and its work space.
struct Point {
  int* row;
  int* column;
  int* row_track;
  int* column_track;
  float* templates;
  float* window;
  float* convolution;
  float* padded;
  float* padded_selection;
  float* strip;
  float* strip_selection;
  float* sums;
  float* squares;
  float* square_sums;
  float* template_squares;
  float* place_mask;
  float* masked;
  int number, template_offset;
};

struct Now {
  float* frame;
  int number, unused;
};

__constant__ Common common;
__constant__ Point points[MOST_POINTS];
__constant__ Now now;

// Row and column of an element, column by column.
DEV void place_of(int element, int rows, int* row, int* column) {
  *row = (element + 1) % rows - 1;
  *column = (element + 1) / rows;
  if ((element + 1) % rows == 0) {
    *row = rows - 1;
    *column = *column - 1;
  }
}

// A number that other thread blocks might have changed, as far as nvcc knows: it is read in every round.
DEV int read_again(const int* number) { return *(const volatile int*)number; }

// The rounds 0 to `count` - 1 of a loop as nvcc unrolls it: what is left over from groups of four first. `begin` finds the first
// round of a group in memory, `step` does one of its rounds.
template <class Begin, class Step> DEV void in_fours(int count, Begin begin, Step step) {
  if (count <= 0) return;
  int done = count & 3;
  if (done != 0) {
    begin(0);
    step(0);
    if (done != 1) {
      step(1);
      if (done != 2) step(2);
    }
  }
  if (count < 4) return;
  int at;
#pragma nounroll
  do {
    at = opaque(done);
    begin(at);
    step(0);
    step(1);
    step(2);
    step(3);
    done = at + 4;
  } while (opaque(at + 4) < count);
}

// Copies `source`, in the middle of zeros.
DEV void pad(float* padded, const float* source) {
  int row, column, edge = common.template_rows, rows = common.window_rows;
  for (int e = threadIdx.x; e < common.padded_rows * common.padded_rows; e += THREADS) {
    place_of(e, common.padded_rows, &row, &column);
    if (row > edge - 1 && row < edge + rows && column > edge - 1 && column < edge + rows)
      padded[e] = source[(column - edge) * rows + row - edge];
    else
      padded[e] = 0;
  }
}

// Makes each number the sum of itself and those before it. A function would compile to other instructions.
#define ADD_UP(NUMBERS, START, END, STEP)           \
  float sum = 0;                                    \
  for (int at = START; at < END; at = at + STEP) {  \
    NUMBERS[at] = NUMBERS[at] + sum;                \
    sum = NUMBERS[at];                              \
  }

// Sums of `source` over every position of the template, by cumulative sums and differences.
DEV void sum_positions(const Point& point, const float* source, float* sums) {
  int row, column;
  pad(point.padded, source);
  __syncthreads();
  for (int c = threadIdx.x; c < common.padded_rows; c += THREADS) {
    ADD_UP(point.padded, c * common.padded_rows, (c + 1) * common.padded_rows, 1)
  }
  __syncthreads();
  int strip_elements = common.strip_rows * common.strip_columns;
  for (int e = threadIdx.x; e < strip_elements; e += THREADS) {
    place_of(e, common.strip_rows, &row, &column);
    point.padded_selection[e] = point.padded[column * common.padded_rows + row + common.template_rows];
  }
  __syncthreads();
  for (int e = threadIdx.x; e < strip_elements; e += THREADS) {
    place_of(e, common.strip_rows, &row, &column);
    point.strip[e] = point.padded[column * common.padded_rows + row];
  }
  __syncthreads();
  for (int e = threadIdx.x; e < strip_elements; e += THREADS)
    point.strip[e] = point.padded_selection[e] - point.strip[e];
  __syncthreads();
  for (int r = threadIdx.x; r < common.strip_rows; r += THREADS) {
    ADD_UP(point.strip, r, r + strip_elements, common.strip_rows)
  }
  __syncthreads();
  int elements = common.convolution_rows * common.convolution_rows;
  for (int e = threadIdx.x; e < elements; e += THREADS) {
    place_of(e, common.convolution_rows, &row, &column);
    point.strip_selection[e] = point.strip[(column + common.template_rows) * common.strip_rows + row];
  }
  __syncthreads();
  for (int e = threadIdx.x; e < elements; e += THREADS) {
    place_of(e, common.convolution_rows, &row, &column);
    sums[e] = point.strip[column * common.strip_rows + row];
  }
  __syncthreads();
  for (int e = threadIdx.x; e < elements; e += THREADS) sums[e] = point.strip_selection[e] - sums[e];
  __syncthreads();
}

// First and last index of the smaller operand that meets the larger one, from 1.
DEV void range(int at, int larger, int smaller, int* first, int* last) {
  *first = larger < at + 1 ? at + 1 - larger : 1;
  *last = smaller < at ? smaller : at;
}

KERNEL heartwall() {
  __shared__ float rotated[MOST_TEMPLATE_ROWS * MOST_TEMPLATE_ROWS];
  __shared__ float row_sums[MOST_TEMPLATE_ROWS], row_squares[MOST_TEMPLATE_ROWS];
  __shared__ float template_sum, template_square_sum, template_deviation;
  __shared__ float best_value[MOST_CONVOLUTION_ROWS];
  __shared__ int best_place[MOST_CONVOLUTION_ROWS];
  const Point& point = points[blockIdx.x];
  int t = threadIdx.x, row, column;
  int template_elements = common.template_rows * common.template_rows;
  float* own = &point.templates[point.template_offset];

  if (now.number == 0) {
    if (t == 0) {
      int at = point.number * common.frames + now.number;
      point.row_track[at] = point.row[point.number];
      point.column_track[at] = point.column[point.number];
    }
    for (int e = t; e < template_elements; e += THREADS) {
      place_of(e, common.template_rows, &row, &column);
      int from_row = read_again(&point.row[point.number]) - common.template_half + row;
      int from_column = read_again(&point.column[point.number]) - common.template_half + column;
      own[column * common.template_rows + row] = now.frame[from_column * common.frame_rows + from_row];
    }
  }

  if (now.number != 0) {
    // The window around the point, and the template turned by half a circle.
    int top = point.row[point.number] - common.window_half, left = point.column[point.number] - common.window_half;
    int window_elements = common.window_rows * common.window_rows;
    for (int e = t; e < window_elements; e += THREADS) {
      place_of(e, common.window_rows, &row, &column);
      point.window[e] = now.frame[(column + left) * common.frame_rows + row + top];
    }
    __syncthreads();
    for (int e = t; e < template_elements; e += THREADS) {
      place_of(e, common.template_rows, &row, &column);
      int last = common.template_rows - 1;
      rotated[e] = own[(last - column) * common.template_rows + last - row];
    }
    __syncthreads();

    int elements = common.convolution_rows * common.convolution_rows;
    for (int e = t; e < elements; e += THREADS) {
      place_of(e, common.convolution_rows, &row, &column);
      int first_column, last_column, first_row, last_row;
      range(column + 1, common.window_rows, common.template_rows, &first_column, &last_column);
      range(row + 1, common.window_rows, common.template_rows, &first_row, &last_row);
      float sum = 0;
      for (int c = first_column; c <= last_column; ++c) {
        int window_column = column + 2 - c;
        const float *turned, *under;
        auto begin = [&](int at) {
          int r = first_row + at, window_row = row + 2 - r;
          turned = &rotated[common.template_rows * (opaque(c) - 1) + r - 1];
          under = &point.window[common.window_rows * (window_column - 1) + window_row - 1];
        };
        in_fours(last_row - first_row + 1, begin, [&](int step) { sum = sum + turned[step] * under[-step]; });
      }
      point.convolution[e] = sum;
    }
    __syncthreads();

    sum_positions(point, point.window, point.sums);
    for (int e = t; e < window_elements; e += THREADS) {
      float value = point.window[e];
      point.squares[e] = value * value;
    }
    __syncthreads();
    sum_positions(point, point.squares, point.square_sums);
    for (int e = t; e < elements; e += THREADS) {
      float sum = point.sums[e];
      float variance = point.square_sums[e] - (sum * sum / template_elements);
      if (variance < 0) variance = 0;
      point.square_sums[e] = sqrtf(variance);
    }
    __syncthreads();

    // The deviation of the template.
    for (int e = t; e < template_elements; e += THREADS) {
      float value = own[e];
      point.template_squares[e] = value * value;
    }
    __syncthreads();
    for (int r = t; r < common.template_rows; r += THREADS) {
      float sum = 0;
      for (int c = 0; c < common.template_rows; ++c) sum = sum + own[r * common.template_rows + c];
      row_sums[r] = sum;
    }
    __syncthreads();
    for (int r = t; r < common.template_rows; r += THREADS) {
      float sum = 0;
      for (int c = 0; c < common.template_rows; ++c) sum = sum + point.template_squares[r + common.template_rows * c];
      row_squares[r] = sum;
    }
    __syncthreads();
    if (t == 0) {
      template_sum = 0;
      for (int r = 0; r < common.template_rows; ++r) template_sum = template_sum + row_sums[r];
    } else if (t == 1) {
      template_square_sum = 0;
      for (int r = 0; r < common.template_rows; ++r) template_square_sum = template_square_sum + row_squares[r];
    }
    __syncthreads();
    if (t == 0) {
      float mean = template_sum / template_elements;
      float variance = template_square_sum / template_elements - mean * mean;
      template_deviation = sqrtf((float)(template_elements - 1)) * sqrtf(variance);
    }
    __syncthreads();

    // The correlation at every position.
    for (int e = t; e < elements; e += THREADS) point.square_sums[e] = point.square_sums[e] * template_deviation;
    __syncthreads();
    for (int e = t; e < elements; e += THREADS)
      point.convolution[e] = point.convolution[e] - point.sums[e] * template_sum / template_elements;
    __syncthreads();
    for (int e = t; e < elements; e += THREADS)
      point.square_sums[e] = point.convolution[e] / point.square_sums[e];
    __syncthreads();

    // Only positions near the last one count: a mask of one pixel, made broader by a convolution with ones.
    int centre = common.window_half + common.template_half;
    int last = now.number - 1 + point.number * common.frames;
    int mask_row = centre + point.row_track[last] - point.row[point.number];
    int mask_column = centre + point.column_track[last] - point.column[point.number];
    for (int e = t; e < elements; e += THREADS)
      point.place_mask[e] = e == mask_column * common.convolution_rows + mask_row ? 1 : 0;
    __syncthreads();
    int offset = common.reach / 2;
    for (int e = t; e < elements; e += THREADS) {
      place_of(e, common.convolution_rows, &row, &column);
      int first_column, last_column, first_row, last_row;
      range(column + 1 + offset, common.reach, common.convolution_rows, &first_column, &last_column);
      range(row + 1 + offset, common.reach, common.convolution_rows, &first_row, &last_row);
      float sum = 0;
      for (int c = first_column; c <= last_column; ++c) {
        const float* mask;
        auto begin = [&](int at) { mask = &point.place_mask[common.convolution_rows * (c - 1) + first_row + at - 1]; };
        in_fours(last_row - first_row + 1, begin, [&](int step) { sum = sum + mask[step] * 1; });
      }
      point.masked[e] = point.square_sums[e] * sum;
    }
    __syncthreads();
    float most = 0;
    int place = 0;
    for (int c = t; c < common.convolution_rows; c += THREADS) {
      for (int r = 0; r < common.convolution_rows; ++r) {
        int e = c * common.convolution_rows + r;
        float value = fabsf(point.masked[e]);
        if (value > most) {
          place = e;
          most = value;
        }
      }
      best_place[c] = place;
      best_value[c] = most;
    }
    __syncthreads();
    if (t == 0) {
      float greatest = 0;
      int found = 0;
      for (int c = 0; c < common.convolution_rows; ++c)
        if (best_value[c] > greatest) {
          greatest = best_value[c];
          found = best_place[c];
        }
      place_of(found, common.convolution_rows, &row, &column);
      int at = now.number + point.number * common.frames;
      point.row_track[at] = point.row[point.number] + row - centre;
      point.column_track[at] = point.column[point.number] + column - centre;
    }
    __syncthreads();
  }

  if (now.number != 0 && now.number % 10 == 0) {
    int at = point.number * common.frames + now.number;
    point.row[point.number] = point.row_track[at];
    point.column[point.number] = point.column_track[at];
    for (int e = t; e < template_elements; e += THREADS) {
      place_of(e, common.template_rows, &row, &column);
      int from_row = read_again(&point.row[point.number]) - common.template_half + row;
      int from_column = read_again(&point.column[point.number]) - common.template_half + column;
      own[e] = common.memory * own[e] + (1.00 - common.memory) * now.frame[from_column * common.frame_rows + from_row];
    }
  }
}
