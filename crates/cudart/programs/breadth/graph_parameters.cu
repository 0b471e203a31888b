/* What the nodes of a graph were made with, read back and changed. */
#include "program.h"

__global__ void add(int *data, int value) { data[threadIdx.x] += value; }
static void note(void *data) { *(int *)data += 1; }
PROGRAM(graph_parameters) {
  cudaStream_t stream;
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  int *data = zeros<int>(32), calls = 0;
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  CHECK(cudaMemsetAsync(data, 0, 128, stream));
  add<<<1, 32, 0, stream>>>(data, 5);
  CHECK(cudaLaunchHostFunc(stream, note, &calls));
  CHECK(cudaStreamEndCapture(stream, &graph));
  cudaGraphNode_t nodes[8];
  size_t count = 8;
  CHECK(cudaGraphGetNodes(graph, nodes, &count));
  REQUIRE(count == 3);
  for (size_t i = 0; i < count; i++) {
    cudaGraphNodeType type;
    CHECK(cudaGraphNodeGetType(nodes[i], &type));
    if (type == cudaGraphNodeTypeKernel) {
      cudaKernelNodeParams parameters = {};
      CHECK(cudaGraphKernelNodeGetParams(nodes[i], &parameters));
      REQUIRE(parameters.func == (void *)add && parameters.blockDim.x == 32 && parameters.gridDim.x == 1);
      REQUIRE(*(int **)parameters.kernelParams[0] == data && *(int *)parameters.kernelParams[1] == 5);
      int nine = 9;
      void *arguments[] = {&data, &nine};
      parameters.kernelParams = arguments;
      CHECK(cudaGraphKernelNodeSetParams(nodes[i], &parameters));
    } else if (type == cudaGraphNodeTypeMemset) {
      cudaMemsetParams parameters = {};
      CHECK(cudaGraphMemsetNodeGetParams(nodes[i], &parameters));
      REQUIRE(parameters.dst == data && parameters.value == 0 && parameters.width * parameters.elementSize == 128);
    } else {
      cudaHostNodeParams parameters = {};
      CHECK(cudaGraphHostNodeGetParams(nodes[i], &parameters));
      REQUIRE(parameters.fn == note && parameters.userData == &calls);
    }
  }
  CHECK(cudaGraphInstantiateWithFlags(&executable, graph, 0));
  CHECK(cudaGraphLaunch(executable, stream));
  CHECK(cudaStreamSynchronize(stream));
  REQUIRE(download(data, 32)[31] == 9 && calls == 1);
}
