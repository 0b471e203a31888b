// The Q matrix of non-Cartesian MRI reconstruction as Parboil's mri-q: a thread a voxel sums over the samples of the scanner's
// trajectory, 1,024 of them a launch in constant memory, two in a round. Sine and cosine are the
// processor's own approximate instructions, as the original's makefile demands (fast mathematics).
#include "device.h"

#define SAMPLES_PER_LAUNCH 1024
#define TWO_PI 6.2831853071795864769252867665590058f

struct Sample { float x, y, z, magnitude; };
__constant__ Sample samples[SAMPLES_PER_LAUNCH];

KERNEL magnitudes(const float* real, const float* imaginary, float* magnitude, int count) {
  int i = global_id();
  if (i < count) magnitude[i] = real[i] * real[i] + imaginary[i] * imaginary[i];
}

DEV float phase(int i, float x, float y, float z) {
  return TWO_PI * (samples[i].x * x + samples[i].y * y + samples[i].z * z);
}

KERNEL q_matrix(int count, int first, const float* xs, const float* ys, const float* zs, float* q_real, float* q_imaginary) {
  int voxel = global_id(), i = 0;
  float x = xs[voxel], y = ys[voxel], z = zs[voxel], re = q_real[voxel], im = q_imaginary[voxel];
  if (count % 2) {
    float angle = phase(0, x, y, z);
    re += samples[0].magnitude * __cosf(angle);
    im += samples[0].magnitude * __sinf(angle);
    ++i;
    ++first;
  }
  for (; i < SAMPLES_PER_LAUNCH && first < count; i += 2, first += 2) {
    float angle = phase(i, x, y, z);
    re += samples[i].magnitude * __cosf(angle);
    im += samples[i].magnitude * __sinf(angle);
    float next_angle = phase(i + 1, x, y, z);
    re += samples[i + 1].magnitude * __cosf(next_angle);
    im += samples[i + 1].magnitude * __sinf(next_angle);
  }
  q_real[voxel] = re;
  q_imaginary[voxel] = im;
}
