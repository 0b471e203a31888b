/* Memory and variables in graphs: a stream that records allocates, frees and writes a variable. */
#include "program.h"

__constant__ int factor;
__global__ void first(int *data) { data[threadIdx.x] = threadIdx.x; }
__global__ void last(const int *data, int *out) { out[threadIdx.x] += factor * data[threadIdx.x]; }

PROGRAM(graph_memory) {
  int *out = zeros<int>(32), *between, value = 7;
  cudaStream_t stream;
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  CHECK(cudaMallocAsync((void **)&between, 128, stream));
  CHECK(cudaMemcpyToSymbolAsync(factor, &value, sizeof(value), 0, cudaMemcpyHostToDevice, stream));
  first<<<1, 32, 0, stream>>>(between);
  last<<<1, 32, 0, stream>>>(between, out);
  CHECK(cudaFreeAsync(between, stream));
  CHECK(cudaStreamEndCapture(stream, &graph));
  CHECK(cudaGraphInstantiateWithFlags(&executable, graph, 0));
  CHECK(cudaGraphLaunch(executable, stream));
  CHECK(cudaStreamSynchronize(stream));
  value = 1;
  CHECK(cudaGraphLaunch(executable, stream));
  CHECK(cudaStreamSynchronize(stream));
  REQUIRE(download(out, 32)[30] == 8 * 30);

  cudaMemAllocNodeParams memory = {};
  memory.poolProps.allocType = cudaMemAllocationTypePinned;
  memory.poolProps.location.type = cudaMemLocationTypeDevice;
  memory.bytesize = 4096;
  cudaGraphNode_t allocation, end;
  CHECK(cudaGraphCreate(&graph, 0));
  CHECK(cudaGraphAddMemAllocNode(&allocation, graph, NULL, 0, &memory));
  REQUIRE(memory.dptr != NULL);
  CHECK(cudaGraphAddMemFreeNode(&end, graph, &allocation, 1, memory.dptr));
  CHECK(cudaGraphInstantiateWithFlags(&executable, graph, 0));
  CHECK(cudaGraphLaunch(executable, stream));
  CHECK(cudaStreamSynchronize(stream));
}
