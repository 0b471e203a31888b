/* Kernels that a program loads when it runs, by the runtime API. */
#include "program.h"

static const char text[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
                           ".visible .global .align 4 .u32 step = 5;\n"
                           ".visible .entry count(.param .u64 out)\n{\n"
                           "  .reg .b32 %r<4>;\n  .reg .b64 %d<4>;\n"
                           "  ld.param.u64 %d1, [out];\n  mov.u32 %r1, %tid.x;\n  ld.global.u32 %r2, [step];\n"
                           "  mul.lo.u32 %r3, %r1, %r2;\n  mul.wide.u32 %d2, %r1, 4;\n  add.u64 %d1, %d1, %d2;\n"
                           "  st.global.u32 [%d1], %r3;\n  ret;\n}\n";
PROGRAM(libraries) {
#if CUDART_VERSION >= 12080
  cudaLibrary_t library;
  cudaKernel_t kernel;
  CHECK(cudaLibraryLoadData(&library, text, NULL, NULL, 0, NULL, NULL, 0));
  CHECK(cudaLibraryGetKernel(&kernel, library, "count"));
  int *step, *out = zeros<int>(32);
  size_t bytes;
  CHECK(cudaLibraryGetGlobal((void **)&step, &bytes, library, "step"));
  REQUIRE(bytes == 4 && download(step, 1)[0] == 5);
  void *arguments[] = {&out};
  CHECK(cudaLaunchKernel((const void *)kernel, dim3(1), dim3(32), arguments, 0, 0));
  REQUIRE(download(out, 32)[7] == 35);
  EXPECT(cudaLibraryGetKernel(&kernel, library, "absent"), cudaErrorSymbolNotFound);
  CHECK(cudaLibraryUnload(library));
#endif
}
