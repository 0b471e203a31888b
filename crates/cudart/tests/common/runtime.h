/* The functions of the runtime that the programs of the tests call, as a compiler's start-up code declares them. */
#include <stdio.h>
#include <stdlib.h>

struct wrapper {
  int magic, version;
  const void *data, *unused;
};
struct extents {
  unsigned x, y, z;
};

void *__cudaRegisterFatBinary(struct wrapper *wrapper);
void __cudaRegisterFunction(void *handle, const void *host, const char *device, const char *name, int limit);
int cudaMalloc(void **address, size_t bytes);
int cudaMemcpy(void *to, const void *from, size_t bytes, int kind);
int cudaLaunchKernel(const void *kernel, struct extents grid, struct extents block, void **arguments, size_t shared,
                     void *stream);
int cudaDeviceSynchronize(void);
int cudaGetDevice(int *device);

static void fail(const char *what) {
  fprintf(stderr, "%s\n", what);
  exit(3);
}

/* Registers the fat binary in a file. Gives its handle. */
static void *register_file(const char *path) {
  static struct wrapper wrapper = {0x466243b1, 1, 0, 0};
  FILE *file = fopen(path, "rb");
  if (!file)
    fail("no fat binary");
  fseek(file, 0, SEEK_END);
  long bytes = ftell(file);
  rewind(file);
  void *content = malloc(bytes);
  if (fread(content, bytes, 1, file) != 1)
    fail("cannot read the fat binary");
  fclose(file);
  wrapper.data = content;
  return __cudaRegisterFatBinary(&wrapper);
}
