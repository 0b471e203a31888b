#!/usr/bin/env bash
# Prints a source file that holds several programs of this folder: one executable that runs the program it is told.
# usage: several.sh NAME…
set -euo pipefail
cat <<'HEAD'
#define SEVERAL
#include "program.h"
#include <assert.h>
#include <cooperative_groups.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <math.h>
#ifndef __clang__
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <mma.h>
#include <thread>
#endif
HEAD
for name in "$@"; do
  # A namespace for each keeps their kernels apart.
  echo "namespace in_$name {"
  echo "#include \"$name.cu\""
  echo "}"
done
cat <<'TAIL'
int main(int count, char **words) {
  for (Program *program = Program::first(); program; program = program->next)
    if (count == 2 && strcmp(words[1], program->name) == 0) {
      program->run();
      printf("%s: right\n", program->name);
      return 0;
    }
  return 2;
}
TAIL
