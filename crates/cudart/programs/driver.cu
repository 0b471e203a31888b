/* The driver API: a module of PTX text, a kernel, a variable, memory, a stream and an event. */
#include <cuda.h>
#include <stdio.h>
#include <stdlib.h>

#define CHECK(call)                                                                                                    \
  do {                                                                                                                 \
    CUresult result = (call);                                                                                          \
    if (result != CUDA_SUCCESS) {                                                                                      \
      const char *name;                                                                                                \
      cuGetErrorName(result, &name);                                                                                   \
      fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, name);                                             \
      exit(1);                                                                                                         \
    }                                                                                                                  \
  } while (0)

static const char *ptx = R"(
.version 7.0
.target sm_70
.address_size 64
.visible .global .align 4 .u32 scale = 3;
.visible .entry times(.param .u64 data, .param .u32 count)
{
    .reg .pred %p<2>;
    .reg .b32 %r<6>;
    .reg .b64 %d<4>;
    ld.param.u64 %d1, [data];
    ld.param.u32 %r1, [count];
    mov.u32 %r2, %tid.x;
    setp.ge.u32 %p1, %r2, %r1;
    @%p1 ret;
    mul.wide.u32 %d2, %r2, 4;
    add.u64 %d3, %d1, %d2;
    ld.global.u32 %r3, [%d3];
    ld.global.u32 %r4, [scale];
    mul.lo.u32 %r3, %r3, %r4;
    st.global.u32 [%d3], %r3;
    ret;
}
)";

int main() {
  CUdevice device;
  CUcontext context;
  CUmodule module;
  CUfunction kernel;
  CUdeviceptr data, scale;
  CUstream stream;
  CUevent event;
  size_t bytes;
  CHECK(cuInit(0));
  CHECK(cuDeviceGet(&device, 0));
  CHECK(cuDevicePrimaryCtxRetain(&context, device));
  CHECK(cuCtxSetCurrent(context));
  CHECK(cuModuleLoadDataEx(&module, ptx, 0, NULL, NULL));
  if (cuModuleGetFunction(&kernel, module, "no_such") != CUDA_ERROR_NOT_FOUND)
    return 2;
  CHECK(cuModuleGetFunction(&kernel, module, "times"));
  CHECK(cuModuleGetGlobal(&scale, &bytes, module, "scale"));
  unsigned host[32], seven = 7, count = 32;
  for (unsigned i = 0; i < 32; i++)
    host[i] = i;
  CHECK(cuMemAlloc(&data, sizeof(host)));
  CHECK(cuMemcpyHtoD(data, host, sizeof(host)));
  CHECK(cuMemcpyHtoD(scale, &seven, bytes));
  CHECK(cuStreamCreate(&stream, 0));
  CHECK(cuEventCreate(&event, 0));
  void *arguments[] = {&data, &count};
  CHECK(cuLaunchKernel(kernel, 1, 1, 1, 32, 1, 1, 0, stream, arguments, NULL));
  CHECK(cuEventRecord(event, stream));
  CHECK(cuStreamSynchronize(stream));
  // The same with all arguments in one buffer, for half of the threads.
  struct {
    CUdeviceptr data;
    unsigned count;
  } packed = {data, 16};
  size_t size = sizeof(CUdeviceptr) + sizeof(unsigned);
  void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &packed, CU_LAUNCH_PARAM_BUFFER_SIZE, &size, CU_LAUNCH_PARAM_END};
  CHECK(cuLaunchKernel(kernel, 1, 1, 1, 32, 1, 1, 0, NULL, NULL, extra));
  CHECK(cuMemcpyDtoH(host, data, sizeof(host)));
  for (unsigned i = 0; i < 32; i++)
    if (host[i] != i * 7 * (i < 16 ? 7 : 1)) {
      fprintf(stderr, "number %u is %u\n", i, host[i]);
      return 1;
    }
  CHECK(cuMemFree(data));
  CHECK(cuModuleUnload(module));
  printf("driver: 32 numbers are right\n");
  return 0;
}
