// A graph of a memset and two kernels, made node by node.
#include "check.h"

__global__ void add(int* x, int value) { x[threadIdx.x] += value; }

int main() {
  int h[32], *d, one = 1, ten = 10;
  CHECK(cudaMalloc(&d, sizeof h));
  cudaGraph_t graph;
  cudaGraphNode_t clear, first, second;
  CHECK(cudaGraphCreate(&graph, 0));
  cudaMemsetParams zeros = {};
  zeros.dst = d, zeros.value = 7, zeros.elementSize = 4, zeros.width = 32, zeros.height = 1;
  CHECK(cudaGraphAddMemsetNode(&clear, graph, nullptr, 0, &zeros));
  void* arguments[2] = {&d, &one};
  cudaKernelNodeParams kernel = {};
  kernel.func = (void*)add, kernel.gridDim = dim3(1), kernel.blockDim = dim3(32), kernel.kernelParams = arguments;
  CHECK(cudaGraphAddKernelNode(&first, graph, &clear, 1, &kernel));
  arguments[1] = &ten;
  CHECK(cudaGraphAddKernelNode(&second, graph, &first, 1, &kernel));
  cudaGraphExec_t exec;
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  CHECK(cudaGraphLaunch(exec, 0));
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
  std::printf("%d %d\n", h[0], h[31]);
  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaGraphDestroy(graph));
  CHECK(cudaFree(d));
}
