/* What the programs of this folder share. Each file is a program: compiled alone it has a `main`; a file that defines
   SEVERAL and includes many of them, each in a namespace of its own, makes one executable that runs the program named
   by its first argument. */
#ifndef PROGRAM_H
#define PROGRAM_H

#include "../check.h"
#include <string.h>
#include <vector>

#ifdef SEVERAL
struct Program {
  const char *name;
  void (*run)();
  Program *next;
  Program(const char *name, void (*run)()) : name(name), run(run), next(first()) { first() = this; }
  static Program *&first() {
    static Program *program = nullptr;
    return program;
  }
};
#define PROGRAM(name)                                                                                                  \
  static void name();                                                                                                  \
  static Program register_##name(#name, name);                                                                         \
  static void name()
#else
#define PROGRAM(name)                                                                                                  \
  static void name();                                                                                                  \
  int main() {                                                                                                         \
    name();                                                                                                            \
    printf("%s: right\n", #name);                                                                                      \
    return 0;                                                                                                          \
  }                                                                                                                    \
  static void name()
#endif

template <typename T> T *zeros(size_t count) {
  T *device = nullptr;
  CHECK(cudaMalloc((void **)&device, count * sizeof(T)));
  CHECK(cudaMemset(device, 0, count * sizeof(T)));
  return device;
}

template <typename T> T *upload(const std::vector<T> &host) {
  T *device = zeros<T>(host.size());
  CHECK(cudaMemcpy(device, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice));
  return device;
}

template <typename T> std::vector<T> download(const T *device, size_t count) {
  std::vector<T> host(count);
  CHECK(cudaMemcpy(host.data(), device, count * sizeof(T), cudaMemcpyDeviceToHost));
  return host;
}

template <typename T> std::vector<T> ramp(size_t count, T start = T(0), T step = T(1)) {
  std::vector<T> host(count);
  for (size_t i = 0; i < count; i++)
    host[i] = T(start + step * T(i));
  return host;
}

#define ID (blockIdx.x * blockDim.x + threadIdx.x)

#endif
