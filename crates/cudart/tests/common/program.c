/* A program as compilers make them: it registers a fat binary, here one read from a file, and launches a kernel of it.
 * usage: program FAT_BINARY exit|_exit|fork|ask */
#include "runtime.h"
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char stub;

static void store_seven(void) {
  void *address;
  struct extents one = {1, 1, 1};
  void *arguments[] = {&address};
  int seven = 0;
  if (cudaMalloc(&address, 4) || cudaLaunchKernel(&stub, one, one, arguments, 0, 0) || cudaDeviceSynchronize() ||
      cudaMemcpy(&seven, address, 4, 2))
    fail("a call failed");
  printf("%d\n", seven);
  fflush(stdout);
}

int main(int count, char **words) {
  if (count != 3)
    return 2;
  __cudaRegisterFunction(register_file(words[1]), &stub, "store_at", "store_at", -1);
  if (strcmp(words[2], "ask") == 0) {
    int device = -1;
    if (cudaGetDevice(&device))
      fail("no device");
    printf("%d\n", device);
    return 0;
  }
  store_seven();
  if (strcmp(words[2], "_exit") == 0)
    _exit(0);
  if (strcmp(words[2], "fork") == 0) {
    if (fork() == 0) {
      store_seven();
      exit(0);
    }
    wait(0);
  }
  return 0;
}
