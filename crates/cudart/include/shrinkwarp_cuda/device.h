/* Built-in variables and functions of kernels. */
#ifndef SHRINKWARP_CUDA_DEVICE_H
#define SHRINKWARP_CUDA_DEVICE_H

/* A variable whose fields are special registers: reading one is reading the register. */
#define SHRINKWARP_AXIS(axis, register)                                                                                \
  __declspec(property(get = read_##axis)) unsigned axis;                                                               \
  static inline __device__ unsigned read_##axis() { return __nvvm_read_ptx_sreg_##register##_##axis(); }
#define SHRINKWARP_VARIABLE(name, register)                                                                            \
  struct shrinkwarp_##name {                                                                                           \
    SHRINKWARP_AXIS(x, register)                                                                                       \
    SHRINKWARP_AXIS(y, register)                                                                                       \
    SHRINKWARP_AXIS(z, register)                                                                                       \
  };                                                                                                                   \
  extern const __device__ __attribute__((weak)) shrinkwarp_##name name;

SHRINKWARP_VARIABLE(threadIdx, tid)
SHRINKWARP_VARIABLE(blockIdx, ctaid)
SHRINKWARP_VARIABLE(blockDim, ntid)
SHRINKWARP_VARIABLE(gridDim, nctaid)

#undef SHRINKWARP_VARIABLE
#undef SHRINKWARP_AXIS

/* __syncthreads() is a builtin of clang. */
static inline __device__ void __threadfence() { __nvvm_membar_gl(); }

static inline __device__ int atomicAdd(int *address, int value) { return __nvvm_atom_add_gen_i(address, value); }
static inline __device__ unsigned atomicAdd(unsigned *address, unsigned value) {
  return (unsigned)__nvvm_atom_add_gen_i((int *)address, (int)value);
}
static inline __device__ float atomicAdd(float *address, float value) {
  return __nvvm_atom_add_gen_f(address, value);
}
static inline __device__ int atomicMax(int *address, int value) { return __nvvm_atom_max_gen_i(address, value); }
static inline __device__ int atomicCAS(int *address, int expected, int value) {
  return __nvvm_atom_cas_gen_i(address, expected, value);
}

extern "C" __device__ int printf(const char *format, ...);

/* Texture objects. */
template <class T> __device__ T tex1Dfetch(cudaTextureObject_t object, int x);
template <> inline __device__ float tex1Dfetch<float>(cudaTextureObject_t object, int x) {
  float r, g, b, a;
  asm("tex.1d.v4.f32.s32 {%0, %1, %2, %3}, [%4, {%5}];"
      : "=f"(r), "=f"(g), "=f"(b), "=f"(a)
      : "l"(object), "r"(x));
  return r;
}
template <class T> __device__ T tex2D(cudaTextureObject_t object, float x, float y);
template <> inline __device__ float tex2D<float>(cudaTextureObject_t object, float x, float y) {
  float r, g, b, a;
  asm("tex.2d.v4.f32.f32 {%0, %1, %2, %3}, [%4, {%5, %6}];"
      : "=f"(r), "=f"(g), "=f"(b), "=f"(a)
      : "l"(object), "f"(x), "f"(y));
  return r;
}

#endif
