/* A graph whose nodes are added in the wrong order and told later which waits for which; one is taken out, one is off. */
#include "program.h"

__global__ void scale(int *data, int factor) { data[threadIdx.x] *= factor; }

static cudaGraphNode_t scaled_by(cudaGraph_t graph, int *data, int factor) {
  void *arguments[] = {&data, &factor};
  cudaKernelNodeParams parameters = {};
  parameters.func = (void *)scale;
  parameters.gridDim = dim3(1);
  parameters.blockDim = dim3(32);
  parameters.kernelParams = arguments;
  cudaGraphNode_t node;
  CHECK(cudaGraphAddKernelNode(&node, graph, NULL, 0, &parameters));
  return node;
}

static void order(cudaGraph_t graph, cudaGraphNode_t first, cudaGraphNode_t second) {
#if CUDART_VERSION >= 13000
  CHECK(cudaGraphAddDependencies(graph, &first, &second, NULL, 1));
#else
  CHECK(cudaGraphAddDependencies(graph, &first, &second, 1));
#endif
}

PROGRAM(graph_dependencies) {
  int *data = zeros<int>(32), *copy = zeros<int>(32);
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  cudaGraphNode_t copying, filling, off;
  CHECK(cudaGraphCreate(&graph, 0));
  CHECK(cudaGraphAddMemcpyNode1D(&copying, graph, NULL, 0, copy, data, 128, cudaMemcpyDeviceToDevice));
  cudaGraphNode_t scaling = scaled_by(graph, data, 5), gone = scaled_by(graph, data, 100);
  off = scaled_by(graph, data, 1000);
  cudaMemsetParams fill = {};
  fill.dst = data;
  fill.value = 3;
  fill.elementSize = 4;
  fill.width = 32;
  fill.height = 1;
  CHECK(cudaGraphAddMemsetNode(&filling, graph, NULL, 0, &fill));
  order(graph, filling, gone);
  order(graph, filling, off);
  order(graph, filling, scaling);
  order(graph, scaling, copying);
  CHECK(cudaGraphDestroyNode(gone));
  size_t roots = 0;
  CHECK(cudaGraphGetRootNodes(graph, NULL, &roots));
  cudaGraphNode_t root;
  REQUIRE(roots == 1);
  CHECK(cudaGraphGetRootNodes(graph, &root, &roots));
  REQUIRE(root == filling);
  CHECK(cudaGraphInstantiateWithFlags(&executable, graph, 0));
  CHECK(cudaGraphNodeSetEnabled(executable, off, 0));
  CHECK(cudaGraphLaunch(executable, 0));
  CHECK(cudaDeviceSynchronize());
  REQUIRE(download(copy, 32)[31] == 15);
}
