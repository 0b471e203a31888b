/* A program that does what a trace says: allocate, copy, launch. The trace was recorded from a workload.
 * usage: replay FAT_BINARY TRACE [OUTPUT] */
#include "runtime.h"
#include <string.h>

static FILE *trace;
static void *handle;
static char stubs[64];
static char names[64][256];
static int kernels;

static void take(void *to, size_t bytes) {
  if (bytes && fread(to, bytes, 1, trace) != 1)
    fail("the trace ends too early");
}

static unsigned long long number(void) {
  unsigned long long value;
  take(&value, sizeof(value));
  return value;
}

static const void *stub_of(const char *name) {
  for (int i = 0; i < kernels; ++i)
    if (strcmp(names[i], name) == 0)
      return &stubs[i];
  strncpy(names[kernels], name, 255);
  __cudaRegisterFunction(handle, &stubs[kernels], names[kernels], names[kernels], -1);
  return &stubs[kernels++];
}

static void launch(void) {
  char name[256] = {0};
  take(name, number());
  unsigned long long sizes[7];
  take(sizes, sizeof(sizes));
  struct extents grid = {sizes[0], sizes[1], sizes[2]}, block = {sizes[3], sizes[4], sizes[5]};
  unsigned long long count = number();
  void *arguments[64];
  for (unsigned long long i = 0; i < count; ++i) {
    unsigned long long bytes = number();
    arguments[i] = malloc(bytes + 1);
    take(arguments[i], bytes);
  }
  if (cudaLaunchKernel(stub_of(name), grid, block, arguments, sizes[6], 0) || cudaDeviceSynchronize())
    fail("a launch failed");
}

int main(int count, char **words) {
  if (count < 3 || !(trace = fopen(words[2], "rb")))
    fail("usage: replay FAT_BINARY TRACE [OUTPUT]");
  handle = register_file(words[1]);
  unsigned long long last = 0, last_bytes = 0;
  for (int kind; (kind = fgetc(trace)) != EOF;) {
    unsigned long long address = kind == 'L' ? 0 : number(), bytes = kind == 'L' ? 0 : number();
    if (kind == 'A') {
      void *made;
      if (cudaMalloc(&made, bytes) || (unsigned long long)made != address)
        fail("an allocation is elsewhere than the workload's");
      last = address, last_bytes = bytes;
    } else if (kind == 'W') {
      void *content = malloc(bytes + 1);
      take(content, bytes);
      if (cudaMemcpy((void *)address, content, bytes, 1))
        fail("a copy failed");
      free(content);
    } else {
      launch();
    }
  }
  if (count > 3) {
    FILE *output = fopen(words[3], "wb");
    void *content = malloc(last_bytes + 1);
    if (!output || cudaMemcpy(content, (void *)last, last_bytes, 2) || fwrite(content, last_bytes, 1, output) != 1)
      fail("cannot write the output");
    fclose(output);
  }
  printf("%d kernels\n", kernels);
  return 0;
}
