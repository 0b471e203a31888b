/* What a CUDA program can ask of the simulated GPU beyond the CUDA runtime. */
#ifndef SHRINKWARP_H
#define SHRINKWARP_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Device memory for floating-point elements whose `bits` least significant bits kernels load as zero; host copies stay
 * exact. `format` is "f16", "bf16", "f32" or "f64". Returns a cudaError_t. A program that also runs on a real GPU asks
 * for the function with dlsym and falls back to cudaMalloc. */
int shrinkwarpMallocApproximable(void **address, size_t bytes, const char *format, unsigned bits);

#ifdef __cplusplus
}
#endif

#endif
