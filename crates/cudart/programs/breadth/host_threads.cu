/* Threads of the host, each with a stream of its own or with the stream that a thread has. */
#include "program.h"
#include <thread>

__global__ void add(int *data, int value) { atomicAdd(data, value); }
static void work(int number, int *sum) {
  int *data, result;
  cudaStream_t stream = cudaStreamPerThread;
  if (number % 2)
    CHECK(cudaStreamCreate(&stream));
  CHECK(cudaMalloc((void **)&data, sizeof(int)));
  CHECK(cudaMemsetAsync(data, 0, sizeof(int), stream));
  for (int i = 0; i < 8; i++)
    add<<<2, 32, 0, stream>>>(data, number);
  CHECK(cudaMemcpyAsync(&result, data, sizeof(int), cudaMemcpyDeviceToHost, stream));
  CHECK(cudaStreamSynchronize(stream));
  REQUIRE(result == 512 * number);
  add<<<1, 1, 0, stream>>>(sum, number);
  CHECK(cudaStreamSynchronize(stream));
  CHECK(cudaFree(data));
}
PROGRAM(host_threads) {
  int *sum = zeros<int>(1);
  std::vector<std::thread> threads;
  for (int i = 1; i <= 4; i++)
    threads.emplace_back(work, i, sum);
  for (std::thread &thread : threads)
    thread.join();
  REQUIRE(download(sum, 1)[0] == 10);
}
