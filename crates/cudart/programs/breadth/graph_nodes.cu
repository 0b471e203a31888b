/* A graph that is made node by node. */
#include "program.h"

__global__ void add(int *data, int value) { data[threadIdx.x] += value; }
static void note(void *data) { *(int *)data += 1; }
PROGRAM(graph_nodes) {
  cudaGraph_t graph;
  cudaGraphNode_t fill, kernel, call;
  cudaGraphExec_t executable;
  int *data = zeros<int>(32), value = 4, calls = 0;
  CHECK(cudaGraphCreate(&graph, 0));
  cudaMemsetParams fill_parameters = {};
  fill_parameters.dst = data;
  fill_parameters.value = 3;
  fill_parameters.elementSize = 4;
  fill_parameters.width = 32;
  fill_parameters.height = 1;
  CHECK(cudaGraphAddMemsetNode(&fill, graph, NULL, 0, &fill_parameters));
  void *arguments[] = {&data, &value};
  cudaKernelNodeParams kernel_parameters = {};
  kernel_parameters.func = (void *)add;
  kernel_parameters.gridDim = dim3(1);
  kernel_parameters.blockDim = dim3(32);
  kernel_parameters.kernelParams = arguments;
  CHECK(cudaGraphAddKernelNode(&kernel, graph, &fill, 1, &kernel_parameters));
  cudaHostNodeParams call_parameters = {note, &calls};
  CHECK(cudaGraphAddHostNode(&call, graph, &kernel, 1, &call_parameters));
  CHECK(cudaGraphInstantiateWithFlags(&executable, graph, 0));
  CHECK(cudaGraphLaunch(executable, 0));
  CHECK(cudaGraphLaunch(executable, 0));
  CHECK(cudaDeviceSynchronize());
  REQUIRE(download(data, 32)[9] == 7 && calls == 2);
}
