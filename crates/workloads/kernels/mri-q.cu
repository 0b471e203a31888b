// The Q matrix of non-Cartesian MRI reconstruction: every voxel sums over all samples of the scanner's trajectory, which
// pass through constant-like memory in chunks.
#include "device.h"

#define CHUNK 512

struct Sample { float x, y, z, magnitude; };

KERNEL magnitudes(const float* real, const float* imaginary, Sample* samples, int count) {
  int i = global_id();
  if (i < count) samples[i].magnitude = real[i] * real[i] + imaginary[i] * imaginary[i];
}

KERNEL q_matrix(const Sample* samples, int first, int count, const float* x, const float* y, const float* z,
                float* q_real, float* q_imaginary, int voxels) {
  int voxel = global_id();
  if (voxel >= voxels) return;
  float vx = x[voxel], vy = y[voxel], vz = z[voxel], re = q_real[voxel], im = q_imaginary[voxel];
  for (int i = first; i < count && i < first + CHUNK; ++i) {
    float angle = 6.2831853071795864769f * (samples[i].x * vx + samples[i].y * vy + samples[i].z * vz);
    re += samples[i].magnitude * cosf(angle);
    im += samples[i].magnitude * sinf(angle);
  }
  q_real[voxel] = re;
  q_imaginary[voxel] = im;
}
