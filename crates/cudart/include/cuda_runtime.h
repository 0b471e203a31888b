/* A small CUDA for clang without NVIDIA's files: attributes, built-in variables, and the runtime functions that
 * programs use most. It is enough for programs of one's own; programs that need all of CUDA are compiled with NVIDIA's
 * headers and run on the same library.
 *
 * | file                          | what                                              |
 * |-------------------------------|---------------------------------------------------|
 * | shrinkwarp_cuda/types.h       | vectors, enumerations, structures                 |
 * | shrinkwarp_cuda/runtime.h     | functions of the host                             |
 * | shrinkwarp_cuda/device.h      | built-in variables and functions of kernels       |
 */
#ifndef SHRINKWARP_CUDA_RUNTIME_H
#define SHRINKWARP_CUDA_RUNTIME_H

#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __constant__ __attribute__((constant))
#define __shared__ __attribute__((shared))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))

#include "shrinkwarp_cuda/types.h"

#include "shrinkwarp_cuda/runtime.h"

#include "shrinkwarp_cuda/device.h"

#endif
