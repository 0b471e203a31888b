/* The two files of the linked program share this; nvcc compiles them apart and links their device code (-rdc=true). */
#ifndef LINKED_H
#define LINKED_H

struct Calls {
  int made;
  int limit;
};

/* In linked_parts.cu. */
extern __device__ int twice(int value);
extern __device__ Calls calls;
extern __constant__ int offsets[4];
void set_offsets(const int *values);
int thrice_on_the_device(int value);

/* Both files have a copy. */
template <typename T> __device__ __noinline__ T clamp_to(T value, T most) { return value < most ? value : most; }

#endif
