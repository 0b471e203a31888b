/* Every program ends with code 0 when all is as it should be, and otherwise says what was not. */
#ifndef CHECK_H
#define CHECK_H

#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

#define CHECK(call)                                                                                                    \
  do {                                                                                                                 \
    cudaError_t error = (call);                                                                                        \
    if (error != cudaSuccess) {                                                                                        \
      fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(error));                        \
      exit(1);                                                                                                         \
    }                                                                                                                  \
  } while (0)

/* A call that must fail, and how. */
#define EXPECT(call, expected)                                                                                         \
  do {                                                                                                                 \
    cudaError_t error = (call);                                                                                        \
    if (error != (expected)) {                                                                                         \
      fprintf(stderr, "%s:%d: %s: %s, expected %s\n", __FILE__, __LINE__, #call, cudaGetErrorName(error),              \
              cudaGetErrorName(expected));                                                                             \
      exit(1);                                                                                                         \
    }                                                                                                                  \
  } while (0)

#define REQUIRE(condition)                                                                                             \
  do {                                                                                                                 \
    if (!(condition)) {                                                                                                \
      fprintf(stderr, "%s:%d: %s does not hold\n", __FILE__, __LINE__, #condition);                                    \
      exit(1);                                                                                                         \
    }                                                                                                                  \
  } while (0)

#endif
