// Exclusive prefix sums of many arrays, as the CUDA SDK's scan sample: four elements a thread in registers, and a scan of the
// threads' sums in shared memory with zeros in front, so that no step asks whether it is past the start. Arrays longer than 1,024
// elements take three kernels: parts, the parts' totals, and the addition of what comes before.
#include "device.h"

#define THREADS 256
#define PART (4 * THREADS)

// The exclusive sum over the `size` threads that share an array.
DEV uint scan_threads(uint value, volatile uint* sums, uint size) {
  uint at = 2 * threadIdx.x - (threadIdx.x & (size - 1));
  sums[at] = 0;
  at += size;
  sums[at] = value;
  for (uint offset = 1; offset < size; offset <<= 1) {
    __syncthreads();
    uint sum = sums[at] + sums[at - offset];
    __syncthreads();
    sums[at] = sum;
  }
  return sums[at] - value;
}

KERNEL scan_parts(uint4* out, const uint4* in, uint size) {
  __shared__ uint sums[2 * THREADS];
  uint at = global_id();
  uint4 own = in[at], sum = own;
  sum.y += sum.x;
  sum.z += sum.y;
  sum.w += sum.z;
  uint before = scan_threads(sum.w, sums, size / 4);
  sum.x += before - own.x;
  sum.y += before - own.y;
  sum.z += before - own.z;
  sum.w += before - own.w;
  out[at] = sum;
}

// Scans the totals of the parts: the last exclusive sum of a part and its last element.
KERNEL scan_totals(uint* totals, const uint* out, const uint* in, uint parts, uint size) {
  __shared__ uint sums[2 * THREADS];
  uint at = global_id(), total = 0;
  if (at < parts) total = out[PART - 1 + PART * at] + in[PART - 1 + PART * at];
  uint before = scan_threads(total, sums, size);
  if (at < parts) totals[at] = before;
}

KERNEL add_totals(uint4* out, const uint* totals) {
  __shared__ uint before;
  uint at = global_id();
  if (threadIdx.x == 0) before = totals[blockIdx.x];
  __syncthreads();
  uint4 sum = out[at];
  sum.x += before;
  sum.y += before;
  sum.z += before;
  sum.w += before;
  out[at] = sum;
}
