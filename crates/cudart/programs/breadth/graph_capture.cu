/* A graph that a stream records, launched several times. */
#include "program.h"

__global__ void add(int *data, int value) { data[threadIdx.x] += value; }
PROGRAM(graph_capture) {
  cudaStream_t stream;
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  int *data = zeros<int>(32), host[32];
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  add<<<1, 32, 0, stream>>>(data, 5);
  add<<<1, 32, 0, stream>>>(data, 2);
  CHECK(cudaMemcpyAsync(host, data, sizeof(host), cudaMemcpyDeviceToHost, stream));
  CHECK(cudaStreamEndCapture(stream, &graph));
  REQUIRE(download(data, 32)[0] == 0);
  size_t nodes;
  CHECK(cudaGraphGetNodes(graph, NULL, &nodes));
  REQUIRE(nodes == 3);
#if CUDART_VERSION >= 12000
  CHECK(cudaGraphInstantiate(&executable, graph, 0));
#else
  CHECK(cudaGraphInstantiate(&executable, graph, NULL, NULL, 0));
#endif
  for (int i = 0; i < 3; i++)
    CHECK(cudaGraphLaunch(executable, stream));
  CHECK(cudaStreamSynchronize(stream));
  REQUIRE(host[31] == 21);
  CHECK(cudaGraphExecDestroy(executable));
  CHECK(cudaGraphDestroy(graph));
}
