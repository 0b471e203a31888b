// Forward wavelet transform of a picture as Rodinia's dwt2d: a thread block slides a window down its columns. A thread loads a
// column, the first few also a border column; the window is lifted in shared memory, where even and odd columns lie apart,
// and its rows go to four bands that are stored one after the other. 5/3 is JPEG 2000's reversible filter on integers
// (columns, then rows), 9/7 its irreversible filter on floats (rows, then columns).
#include "device.h"

#define LOAD_THREADS 256
#define BANKS 32

#define PREDICT_1 -1.586134342f
#define UPDATE_1 -0.05298011854f
#define PREDICT_2 0.8829110762f
#define UPDATE_2 0.4435068522f
#define WIDEN 1.23017410491400f
#define NARROW (1.0f / WIDEN)

#define MEMBER __device__ __attribute__((always_inline)) inline

// Walks down a column of the picture, and up again from the last row.
template <class T, bool IS_CHECKED> struct Loader {
  int last, end, pitch;

  MEMBER void start(int width, int height, int x, int y) {
    if (x >= width) x = 2 * width - 2 - x;
    else if (x < 0) x = -x;
    end = IS_CHECKED ? height * width + x : 0;
    pitch = width;
    last = x + width * y - width;
  }

  MEMBER T next(const T* picture) {
    last += pitch;
    if (IS_CHECKED && last == end) {
      last -= 2 * pitch;
      pitch = -pitch;
    }
    return picture[last];
  }
};

// Writes a column to its two bands in turn: low rows before high rows. A column beyond the picture writes nothing.
template <class T, bool IS_CHECKED> struct Writer {
  int at, end, to_high, to_low;

  MEMBER void start(int width, int height, int x, int y) {
    int pitch = width / 2;
    int column = x / 2 + (x & 1) * pitch * (height / 2);
    to_high = width * height / 2;
    to_low = pitch - to_high;
    end = IS_CHECKED ? column + height / 2 * pitch : 0;
    at = column + y / 2 * pitch;
    if (IS_CHECKED && x >= width) at = end;
  }

  MEMBER void put(T* bands, T value, int step) {
    if (IS_CHECKED && at == end) return;
    bands[at] = value;
    at += step;
  }

  MEMBER void put_low(T* bands, T value) { put(bands, value, to_high); }
  MEMBER void put_high(T* bands, T value) { put(bands, value, to_low); }
};

// A window in shared memory. The padding puts an odd column into another bank than the even one beside it.
template <class T, int WIDTH, int ROWS, int BORDER> struct Window {
  static constexpr int PITCH = BORDER + WIDTH / 2;
  static constexpr int HALF = PITCH * ROWS;
  static constexpr int PADDING = BANKS - (HALF + BANKS / 2) % BANKS;
  static constexpr int ODD = HALF + PADDING;
  T data[2 * HALF + PADDING];

  MEMBER int column(int x) { return (x + BORDER) / 2 + ((x + BORDER) & 1) * ODD; }
  MEMBER T& at(int column, int row) { return data[column + row * PITCH]; }

  template <class Lift> MEMBER void lift_odd_rows(int column, Lift lift) {
    for (int row = 1; row < ROWS - 1; row += 2) lift(at(column, row - 1), at(column, row), at(column, row + 1));
  }
  template <class Lift> MEMBER void lift_even_rows(int column, Lift lift) {
    for (int row = 2; row < ROWS - 1; row += 2) lift(at(column, row - 1), at(column, row), at(column, row + 1));
  }

  // All threads go over the elements of a half, row after row.
  template <class Each> MEMBER void each(int count, Each each) {
    int rest = count % WIDTH;
    for (int first = 0; first < count - rest; first += WIDTH) each(first + threadIdx.x);
    if ((int)threadIdx.x < rest) each(count - rest + threadIdx.x);
  }
  template <class Lift> MEMBER void lift_odd_columns(int row, int rows, Lift lift) {
    int even = row * PITCH;
    each(rows * PITCH - 1, [&](int i) { lift(data[even + i], data[even + ODD + i], data[even + 1 + i]); });
  }
  template <class Lift> MEMBER void lift_even_columns(int row, int rows, Lift lift) {
    int odd = row * PITCH + ODD;
    each(rows * PITCH - 1, [&](int i) { lift(data[odd + i], data[row * PITCH + 1 + i], data[odd + 1 + i]); });
  }
  MEMBER void scale_columns(int row, int rows, T even, T odd) {
    each(rows * PITCH, [&](int i) {
      data[row * PITCH + i] *= even;
      data[row * PITCH + ODD + i] *= odd;
    });
  }
};

// The first half of the threads write even columns, the other half odd ones.
template <int WIDTH> DEV int column_to_write() {
  return threadIdx.x * 2 - (WIDTH - 1) * (threadIdx.x / (WIDTH / 2));
}

struct Predict {
  MEMBER void operator()(int before, int& odd, int after) const { odd -= (before + after) / 2; }
};
struct Update {
  MEMBER void operator()(int before, int& even, int after) const { even += (before + after + 2) / 4; }
};
struct AddScaled {
  float scale;
  MEMBER void operator()(float before, float& middle, float after) const { middle += scale * (before + after); }
};

// Rows of a 5/3 window: two above the first that is written, one below the last.
#define ABOVE_53 2
#define KEPT_53 3
#define KEPT_97 7
#define ABOVE_97 4

// A column of a 5/3 window: its loader and the rows that the next window begins with.
template <bool IS_CHECKED> struct Column {
  Loader<int, IS_CHECKED> loader;
  int offset, kept[KEPT_53];

  template <class W> MEMBER void start(W& window, const int* picture, int width, int height, int first_x, int x, int y) {
    offset = window.column(x);
    if (blockIdx.y == 0) {
      loader.start(width, height, first_x + x, y);
      kept[2] = loader.next(picture);
      kept[1] = loader.next(picture);
      kept[0] = loader.next(picture);
      loader.start(width, height, first_x + x, y + 1);
    } else {
      loader.start(width, height, first_x + x, y - ABOVE_53);
      for (int i = 0; i < KEPT_53; ++i) kept[i] = loader.next(picture);
    }
  }

  template <int HEIGHT, class W> MEMBER void transform(W& window, const int* picture) {
    for (int i = 0; i < KEPT_53; ++i) window.at(offset, i) = kept[i];
    for (int i = 0; i < HEIGHT; ++i) window.at(offset, KEPT_53 + i) = loader.next(picture);
    for (int i = 0; i < KEPT_53; ++i) kept[i] = window.at(offset, HEIGHT + i);
    window.lift_odd_rows(offset, Predict());
    window.lift_even_rows(offset, Update());
  }
};

template <int WIDTH, int HEIGHT, bool CHECKS_LOADS, bool CHECKS_WRITES, class W>
DEV void slide_53(W& window, const int* picture, int* bands, int width, int height, int windows) {
  Column<CHECKS_LOADS> column, border;
  int first_x = blockIdx.x * WIDTH, first_y = blockIdx.y * HEIGHT * windows;
  column.start(window, picture, width, height, first_x, threadIdx.x, first_y);
  bool has_border = threadIdx.x < KEPT_53;
  if (has_border) {
    int x = threadIdx.x + (threadIdx.x == 0 ? WIDTH : -KEPT_53);
    border.start(window, picture, width, height, first_x, x, first_y);
  }
  int own = column_to_write<WIDTH>();
  int offset = window.column(own);
  Writer<int, CHECKS_WRITES> writer;
  writer.start(width, height, first_x + own, first_y);
  for (int w = 0; w < windows; ++w) {
    column.template transform<HEIGHT>(window, picture);
    if (has_border) border.template transform<HEIGHT>(window, picture);
    __syncthreads();
    window.lift_odd_columns(ABOVE_53, HEIGHT, Predict());
    __syncthreads();
    window.lift_even_columns(ABOVE_53, HEIGHT, Update());
    __syncthreads();
    for (int row = ABOVE_53; row < ABOVE_53 + HEIGHT; row += 2) {
      writer.put_low(bands, window.at(offset, row));
      writer.put_high(bands, window.at(offset, row + 1));
    }
    __syncthreads();
  }
}

// Thread blocks away from the lower and right edges check nothing.
#define SLIDE(FILTER, REACH)                                                                                           \
  bool is_right = (blockIdx.x + 1) * WIDTH + REACH >= width;                                                           \
  bool is_bottom = (blockIdx.y + 1) * HEIGHT * windows + REACH >= height;                                              \
  if (is_bottom) slide_##FILTER<WIDTH, HEIGHT, true, true>(window, picture, bands, width, height, windows);            \
  else if (is_right) slide_##FILTER<WIDTH, HEIGHT, false, true>(window, picture, bands, width, height, windows);       \
  else slide_##FILTER<WIDTH, HEIGHT, false, false>(window, picture, bands, width, height, windows);

template <int WIDTH, int HEIGHT> DEV void transform_53(const int* picture, int* bands, int width, int height, int windows) {
  __shared__ Window<int, WIDTH, HEIGHT + KEPT_53, 2> window;
  SLIDE(53, 1)
}

template <class W> DEV void lift_rows_97(W& window, int row, int rows) {
  __syncthreads();
  window.lift_odd_columns(row, rows, AddScaled{PREDICT_1});
  __syncthreads();
  window.lift_even_columns(row, rows, AddScaled{UPDATE_1});
  __syncthreads();
  window.lift_odd_columns(row, rows, AddScaled{PREDICT_2});
  __syncthreads();
  window.lift_even_columns(row, rows, AddScaled{UPDATE_2});
  __syncthreads();
  window.scale_columns(row, rows, NARROW, WIDEN);
  __syncthreads();
}

// The first seven rows of a column of a 9/7 window; mirrored at the top of the picture.
template <class W, class L>
DEV void start_column_97(W& window, L& loader, int offset, const float* picture, int width, int height, int x, int y) {
  if (blockIdx.y == 0) {
    loader.start(width, height, x, y);
    for (int i = 0; i <= ABOVE_97; ++i) {
      float pixel = loader.next(picture);
      window.at(offset, ABOVE_97 - i) = pixel;
      if (ABOVE_97 + i < KEPT_97) window.at(offset, ABOVE_97 + i) = pixel;
    }
    loader.start(width, height, x, y + KEPT_97 - ABOVE_97);
  } else {
    loader.start(width, height, x, y - ABOVE_97);
    for (int i = 0; i < KEPT_97; ++i) window.at(offset, i) = loader.next(picture);
  }
}

template <int WIDTH, int HEIGHT, bool CHECKS_LOADS, bool CHECKS_WRITES, class W>
DEV void slide_97(W& window, const float* picture, float* bands, int width, int height, int windows) {
  Loader<float, CHECKS_LOADS> column, border;
  int first_x = blockIdx.x * WIDTH, first_y = blockIdx.y * HEIGHT * windows;
  int offset = window.column(threadIdx.x), border_offset = 0;
  start_column_97(window, column, offset, picture, width, height, first_x + threadIdx.x, first_y);
  bool has_border = threadIdx.x < KEPT_97;
  if (has_border) {
    int x = threadIdx.x + (threadIdx.x < KEPT_97 - ABOVE_97 ? WIDTH : -KEPT_97);
    border_offset = window.column(x);
    start_column_97(window, border, border_offset, picture, width, height, first_x + x, first_y);
  }
  lift_rows_97(window, 0, KEPT_97);
  int own = column_to_write<WIDTH>();
  int own_offset = window.column(own);
  Writer<float, CHECKS_WRITES> writer;
  writer.start(width, height, first_x + own, first_y);
  for (int w = 0; w < windows; ++w) {
    for (int i = 0; i < HEIGHT; ++i) window.at(offset, KEPT_97 + i) = column.next(picture);
    if (has_border)
      for (int i = 0; i < HEIGHT; ++i) window.at(border_offset, KEPT_97 + i) = border.next(picture);
    lift_rows_97(window, KEPT_97, HEIGHT);
    float kept[KEPT_97];
    for (int i = 0; i < KEPT_97; ++i) kept[i] = window.at(own_offset, HEIGHT + i);
    window.lift_odd_rows(own_offset, AddScaled{PREDICT_1});
    window.lift_even_rows(own_offset, AddScaled{UPDATE_1});
    window.lift_odd_rows(own_offset, AddScaled{PREDICT_2});
    window.lift_even_rows(own_offset, AddScaled{UPDATE_2});
    for (int row = ABOVE_97; row < ABOVE_97 + HEIGHT; row += 2) {
      writer.put_low(bands, window.at(own_offset, row) * NARROW);
      writer.put_high(bands, window.at(own_offset, row + 1) * WIDEN);
    }
    for (int i = 0; i < KEPT_97; ++i) window.at(own_offset, i) = kept[i];
    __syncthreads();
  }
}

template <int WIDTH, int HEIGHT>
DEV void transform_97(const float* picture, float* bands, int width, int height, int windows) {
  __shared__ Window<float, WIDTH, HEIGHT + KEPT_97, 4> window;
  SLIDE(97, 3)
}

// Wide pictures have wide windows.
#define TRANSFORM(FILTER, T, WIDTH, HEIGHT)                                                                            \
  KERNEL __launch_bounds__(WIDTH)                                                                                      \
  dwt##FILTER##_##WIDTH(const T* picture, T* bands, int width, int height, int windows) {                              \
    transform_##FILTER<WIDTH, HEIGHT>(picture, bands, width, height, windows);                                         \
  }
TRANSFORM(53, int, 192, 8)
TRANSFORM(53, int, 128, 8)
TRANSFORM(53, int, 64, 8)
TRANSFORM(97, float, 192, 8)
TRANSFORM(97, float, 128, 6)
TRANSFORM(97, float, 64, 6)

// Bytes to samples around zero.
DEV void store(int* samples, uchar byte, int at) { samples[at] = (int)byte - 128; }
DEV void store(float* samples, uchar byte, int at) { samples[at] = (float)byte / 255.0f - 0.5f; }

// Bytes of a thread block's pixels, four at a time, by way of shared memory.
template <int COMPONENTS> DEV void load_bytes(uchar* own, const uchar* bytes) {
  uint first = blockDim.x * blockIdx.x * COMPONENTS / 4;
  if (threadIdx.x * 4 < LOAD_THREADS * COMPONENTS) ((uint*)own)[threadIdx.x] = ((const uint*)bytes)[first + threadIdx.x];
  __syncthreads();
}

template <class T> DEV void split_colours(T* red, T* green, T* blue, const uchar* bytes, int pixels) {
  __shared__ __attribute__((aligned(4))) uchar own[LOAD_THREADS * 3];
  load_bytes<3>(own, bytes);
  uchar r = own[threadIdx.x * 3], g = own[threadIdx.x * 3 + 1], b = own[threadIdx.x * 3 + 2];
  int at = global_id();
  if (at >= pixels) return;
  store(red, r, at);
  store(green, g, at);
  store(blue, b, at);
}

template <class T> DEV void load_grey(T* grey, const uchar* bytes, int pixels) {
  __shared__ __attribute__((aligned(4))) uchar own[LOAD_THREADS];
  load_bytes<1>(own, bytes);
  uchar value = own[threadIdx.x];
  int at = global_id();
  if (at < pixels) store(grey, value, at);
}

KERNEL split_colours_53(int* red, int* green, int* blue, const uchar* bytes, int pixels) {
  split_colours(red, green, blue, bytes, pixels);
}
KERNEL split_colours_97(float* red, float* green, float* blue, const uchar* bytes, int pixels) {
  split_colours(red, green, blue, bytes, pixels);
}
KERNEL load_grey_53(int* grey, const uchar* bytes, int pixels) { load_grey(grey, bytes, pixels); }
KERNEL load_grey_97(float* grey, const uchar* bytes, int pixels) { load_grey(grey, bytes, pixels); }
