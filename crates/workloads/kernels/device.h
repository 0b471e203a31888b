// The CUDA device names that the kernels use, so that plain clang compiles them without any NVIDIA file:
// `cargo xtask ptx` compiles every kernel file of this folder (xtask/src/ptx.rs has the flags).
#pragma once

typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long long ulong64;
typedef decltype(sizeof(0)) size_t;

#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __restrict__ __restrict
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define KERNEL extern "C" __global__ void
#define DEV static __device__ __attribute__((always_inline)) inline

// threadIdx.x and its kin, read through property getters as in CUDA.
#define SHRINKWARP_INDEX(NAME, SREG)                                                     \
  struct NAME##_index {                                                                  \
    __declspec(property(get = get_x)) uint x;                                            \
    __declspec(property(get = get_y)) uint y;                                            \
    __declspec(property(get = get_z)) uint z;                                            \
    static __device__ inline __attribute__((always_inline)) uint get_x() { return __nvvm_read_ptx_sreg_##SREG##_x(); } \
    static __device__ inline __attribute__((always_inline)) uint get_y() { return __nvvm_read_ptx_sreg_##SREG##_y(); } \
    static __device__ inline __attribute__((always_inline)) uint get_z() { return __nvvm_read_ptx_sreg_##SREG##_z(); } \
  };                                                                                     \
  extern const __device__ __attribute__((weak)) NAME##_index NAME;
SHRINKWARP_INDEX(threadIdx, tid)
SHRINKWARP_INDEX(blockIdx, ctaid)
SHRINKWARP_INDEX(blockDim, ntid)
SHRINKWARP_INDEX(gridDim, nctaid)

// Reads parameters on entry, as nvcc does, where clang would read each in the branch that needs it.
template <class T> DEV void load_parameter(T parameter) {
  if constexpr (sizeof(T) == 8) asm volatile("" ::"l"(parameter));
  else asm volatile("" ::"r"(parameter));
}
template <class... T> DEV void load_parameters(T... parameters) { (load_parameter(parameters), ...); }

// A number that the compiler knows nothing about from here on: it is in a register, compared and branched on, where clang would
// know its value on each path and nvcc does not look.
DEV int opaque(int value) {
  asm volatile("" : "+r"(value));
  return value;
}
DEV float opaque(float value) {
  asm volatile("" : "+f"(value));
  return value;
}

DEV uint global_id() { return blockIdx.x * blockDim.x + threadIdx.x; }
DEV uint global_threads() { return gridDim.x * blockDim.x; }

// Vector types, aligned so that loads and stores become v2/v4 accesses.
#define SHRINKWARP_VECTOR(T, NAME)                                     \
  struct __attribute__((aligned(2 * sizeof(T)))) NAME##2 { T x, y; }; \
  struct NAME##3 { T x, y, z; };                                       \
  struct __attribute__((aligned(4 * sizeof(T) > 16 ? 16 : 4 * sizeof(T)))) NAME##4 { T x, y, z, w; };
SHRINKWARP_VECTOR(float, float)
SHRINKWARP_VECTOR(int, int)
SHRINKWARP_VECTOR(uint, uint)
SHRINKWARP_VECTOR(double, double)
SHRINKWARP_VECTOR(uchar, uchar)
SHRINKWARP_VECTOR(ushort, ushort)
DEV float2 make_float2(float x, float y) { return {x, y}; }
DEV float4 make_float4(float x, float y, float z, float w) { return {x, y, z, w}; }
DEV int2 make_int2(int x, int y) { return {x, y}; }

// Synchronisation.
DEV void __threadfence() { __nvvm_membar_gl(); }
DEV void __syncwarp() { __nvvm_bar_warp_sync(0xffffffffu); }
DEV void __threadfence_block() { __nvvm_membar_cta(); }

// Warp shuffles among all 32 lanes.
DEV float shuffle_down(float value, int by) { return __nvvm_shfl_sync_down_f32(0xffffffffu, value, by, 31); }
DEV float shuffle_from(float value, int lane) { return __nvvm_shfl_sync_idx_f32(0xffffffffu, value, lane, 31); }

// Whether a condition holds in all of these lanes.
DEV bool all_of(uint lanes, bool condition) { return __nvvm_vote_all_sync(lanes, condition); }

// Atomics, which return the old value.
DEV int atomicAdd(int* p, int v) { return __nvvm_atom_add_gen_i(p, v); }
DEV uint atomicAdd(uint* p, uint v) { return (uint)__nvvm_atom_add_gen_i((int*)p, (int)v); }
DEV float atomicAdd(float* p, float v) { return __nvvm_atom_add_gen_f(p, v); }
DEV int atomicSub(int* p, int v) { return __nvvm_atom_add_gen_i(p, -v); }
DEV int atomicMin(int* p, int v) { return __nvvm_atom_min_gen_i(p, v); }
DEV uint atomicMin(uint* p, uint v) { return __nvvm_atom_min_gen_ui(p, v); }
DEV int atomicMax(int* p, int v) { return __nvvm_atom_max_gen_i(p, v); }
DEV uint atomicMax(uint* p, uint v) { return __nvvm_atom_max_gen_ui(p, v); }
DEV int atomicOr(int* p, int v) { return __nvvm_atom_or_gen_i(p, v); }
DEV int atomicAnd(int* p, int v) { return __nvvm_atom_and_gen_i(p, v); }
DEV int atomicExch(int* p, int v) { return __nvvm_atom_xchg_gen_i(p, v); }
DEV uint atomicExch(uint* p, uint v) { return (uint)__nvvm_atom_xchg_gen_i((int*)p, (int)v); }
DEV uint atomicInc(uint* p, uint most) { return __nvvm_atom_inc_gen_ui(p, most); }
DEV uint atomicSub(uint* p, uint v) { return (uint)__nvvm_atom_add_gen_i((int*)p, -(int)v); }
DEV int atomicCAS(int* p, int compare, int v) { return __nvvm_atom_cas_gen_i(p, compare, v); }
DEV uint atomicCAS(uint* p, uint compare, uint v) {
  return (uint)__nvvm_atom_cas_gen_i((int*)p, (int)compare, (int)v);
}

// Integers.
template <class T> DEV T min(T a, T b) { return a < b ? a : b; }
template <class T> DEV T max(T a, T b) { return a > b ? a : b; }
DEV int abs(int x) { return x < 0 ? -x : x; }
DEV int __popc(uint x) { return __builtin_popcount(x); }
DEV int __clz(uint x) { return x ? __builtin_clz(x) : 32; }
DEV int __ffs(uint x) { return __builtin_ffs((int)x); }
DEV uint __float_as_uint(float x) { return __builtin_bit_cast(uint, x); }
DEV int __float_as_int(float x) { return __builtin_bit_cast(int, x); }
DEV float __uint_as_float(uint x) { return __builtin_bit_cast(float, x); }
DEV float __int_as_float(int x) { return __builtin_bit_cast(float, x); }

// Fetches through the texture cache, by integer index of a line of texels and by coordinates of a plane, whose integers become
// floating point as in CUDA. A texture object comes from the host as a 64-bit handle.
typedef ulong64 Texture;
#define SHRINKWARP_FETCH(T, NAME, PTX, C)                                                                        \
  DEV NAME##4 fetch_##NAME##4(Texture texture, int x) {                                                          \
    NAME##4 t;                                                                                                   \
    asm("tex.1d.v4." PTX ".s32 {%0, %1, %2, %3}, [%4, {%5}];"                                                    \
        : "=" C(t.x), "=" C(t.y), "=" C(t.z), "=" C(t.w) : "l"(texture), "r"(x));                                \
    return t;                                                                                                    \
  }                                                                                                              \
  DEV T fetch_##NAME(Texture texture, int x) { return fetch_##NAME##4(texture, x).x; }                           \
  DEV NAME##4 fetch_plane_##NAME##4(Texture texture, int x, int y) {                                             \
    NAME##4 t;                                                                                                   \
    asm("tex.2d.v4." PTX ".f32 {%0, %1, %2, %3}, [%4, {%5, %6}];"                                                \
        : "=" C(t.x), "=" C(t.y), "=" C(t.z), "=" C(t.w) : "l"(texture), "f"((float)x), "f"((float)y));          \
    return t;                                                                                                    \
  }                                                                                                              \
  DEV T fetch_plane_##NAME(Texture texture, int x, int y) { return fetch_plane_##NAME##4(texture, x, y).x; }
SHRINKWARP_FETCH(float, float, "f32", "f")
SHRINKWARP_FETCH(int, int, "s32", "r")
SHRINKWARP_FETCH(uint, uint, "u32", "r")

#include "math.h"
