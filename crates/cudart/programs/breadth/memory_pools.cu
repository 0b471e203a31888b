/* Memory of a pool, in the order of a stream. */
#include "program.h"

__global__ void fill(int *data) { data[threadIdx.x] = threadIdx.x; }
PROGRAM(memory_pools) {
  cudaMemPool_t pool;
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaDeviceGetDefaultMemPool(&pool, 0));
  unsigned long long threshold = ~0ull;
  CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold));
  for (int i = 0; i < 3; i++) {
    int *data, host[32];
    CHECK(cudaMallocFromPoolAsync((void **)&data, sizeof(host), pool, stream));
    fill<<<1, 32, 0, stream>>>(data);
    CHECK(cudaMemcpyAsync(host, data, sizeof(host), cudaMemcpyDeviceToHost, stream));
    CHECK(cudaFreeAsync(data, stream));
    CHECK(cudaStreamSynchronize(stream));
    REQUIRE(host[31] == 31);
  }
}
