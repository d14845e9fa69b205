// A graph that is launched again with another argument. It contains a copy and a host function.
#include "check.h"

__global__ void add(int* x, int value) { x[threadIdx.x] += value; }

int main() {
  int *h, *d, value = 1, calls = 0;
  CHECK(cudaMallocHost(&h, 32 * sizeof(int)));
  CHECK(cudaMalloc(&d, 32 * sizeof(int)));
  CHECK(cudaMemset(d, 0, 32 * sizeof(int)));
  cudaGraph_t graph;
  cudaGraphNode_t kernel, copy, call;
  CHECK(cudaGraphCreate(&graph, 0));
  void* arguments[] = {&d, &value};
  cudaKernelNodeParams launch = {};
  launch.func = (void*)add, launch.gridDim = dim3(1), launch.blockDim = dim3(32), launch.kernelParams = arguments;
  CHECK(cudaGraphAddKernelNode(&kernel, graph, nullptr, 0, &launch));
  CHECK(cudaGraphAddMemcpyNode1D(&copy, graph, &kernel, 1, h, d, 32 * sizeof(int), cudaMemcpyDeviceToHost));
  cudaHostNodeParams host = {};
  host.fn = [](void* data) { ++*(int*)data; }, host.userData = &calls;
  CHECK(cudaGraphAddHostNode(&call, graph, &copy, 1, &host));
  cudaGraphExec_t exec;
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  for (int round = 0; round < 3; round++) {
    CHECK(cudaGraphLaunch(exec, 0));
    CHECK(cudaStreamSynchronize(0));
    std::printf("%d after %d\n", h[31], calls);
    value *= 10;
    CHECK(cudaGraphExecKernelNodeSetParams(exec, kernel, &launch));
  }
  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaGraphDestroy(graph));
  CHECK(cudaFreeHost(h));
  CHECK(cudaFree(d));
}
