// A conditional node with two bodies: in every launch, the preceding kernel selects one. At the end, a kernel of a
// body is changed in the instance.
#include "check.h"

__global__ void choose(const int* x, cudaGraphConditionalHandle is_odd) { cudaGraphSetConditional(is_odd, *x % 2); }
__global__ void triple_and_one(int* x) { *x = 3 * *x + 1; }
__global__ void halve(int* x) { *x /= 2; }
__global__ void lessen(int* x) { *x -= 1; }

cudaGraphNode_t add_kernel(cudaGraph_t graph, void* kernel, void** arguments) {
  cudaGraphNodeParams params = {cudaGraphNodeTypeKernel};
  params.kernel.func = kernel, params.kernel.gridDim = dim3(1), params.kernel.blockDim = dim3(1);
  params.kernel.kernelParams = arguments;
  cudaGraphNode_t node;
  CHECK(cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &params));
  return node;
}

int main() {
  int h = 7, *x;
  CHECK(cudaMalloc(&x, sizeof h));
  CHECK(cudaMemcpy(x, &h, sizeof h, cudaMemcpyHostToDevice));
  cudaGraph_t graph;
  cudaGraphConditionalHandle is_odd;
  CHECK(cudaGraphCreate(&graph, 0));
  CHECK(cudaGraphConditionalHandleCreate(&is_odd, graph, 0, 0));
  void* arguments[] = {&x, &is_odd};
  const cudaGraphNode_t chosen = add_kernel(graph, (void*)choose, arguments);
  cudaGraphNodeParams condition = {cudaGraphNodeTypeConditional};
  condition.conditional.handle = is_odd;
  condition.conditional.type = cudaGraphCondTypeIf;
  condition.conditional.size = 2;
  cudaGraphNode_t branch, copy;
  CHECK(cudaGraphAddNode(&branch, graph, &chosen, nullptr, 1, &condition));
  add_kernel(condition.conditional.phGraph_out[0], (void*)triple_and_one, arguments);
  const cudaGraphNode_t halved = add_kernel(condition.conditional.phGraph_out[1], (void*)halve, arguments);
  CHECK(cudaGraphAddMemcpyNode1D(&copy, graph, &branch, 1, &h, x, sizeof h, cudaMemcpyDeviceToHost));
  cudaGraphNodeType type;
  CHECK(cudaGraphNodeGetType(branch, &type));
  std::printf("a conditional node: %d\n", type == cudaGraphNodeTypeConditional);
  cudaGraphExec_t exec;
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  std::printf("%d", h);
  while (h != 1) {
    CHECK(cudaGraphLaunch(exec, 0));
    CHECK(cudaDeviceSynchronize());
    std::printf(" %d", h);
  }
  std::printf("\n");
  cudaKernelNodeParams changed = {};
  changed.func = (void*)lessen, changed.gridDim = dim3(1), changed.blockDim = dim3(1);
  changed.kernelParams = arguments;
  CHECK(cudaGraphExecKernelNodeSetParams(exec, halved, &changed));
  h = 8;
  CHECK(cudaMemcpy(x, &h, sizeof h, cudaMemcpyHostToDevice));
  for (int launch = 0; launch < 2; launch++) {
    CHECK(cudaGraphLaunch(exec, 0));
    CHECK(cudaDeviceSynchronize());
    std::printf("%d ", h);
  }
  std::printf("\n");
  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaGraphDestroy(graph));
  CHECK(cudaFree(x));
}
