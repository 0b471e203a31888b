// y = a x + y, for `shrinkwarp launch examples/saxpy.toml`. Compiled without a CUDA toolkit:
// clang++-19 -x cuda --cuda-device-only -nocudainc -nocudalib --cuda-gpu-arch=sm_70 --cuda-feature=+ptx63 -O3 -S \
//   saxpy.cu -o saxpy.ptx (or: cargo xtask ptx)
extern "C" __attribute__((global)) void saxpy(const float* x, float* y, float a, int n) {
  int i = __nvvm_read_ptx_sreg_ctaid_x() * __nvvm_read_ptx_sreg_ntid_x() + __nvvm_read_ptx_sreg_tid_x();
  if (i < n) y[i] = a * x[i] + y[i];
}
