// A small machine with instructions: a loop around a switch, both conditional nodes, added to a graph while a stream
// is captured. Instruction 9 does not exist, so no body runs for it.
#include "check.h"

__global__ void fetch(const int* program, int* counter, cudaGraphConditionalHandle instruction,
                      cudaGraphConditionalHandle goes_on) {
  const int next = program[(*counter)++];
  cudaGraphSetConditional(instruction, next);
  cudaGraphSetConditional(goes_on, next != 3);
}
__global__ void add(int* x, int value) { *x += value; }
__global__ void multiply(int* x, int value) { *x *= value; }

cudaGraphNode_t add_kernel(cudaGraph_t graph, const cudaGraphNode_t* after, void* kernel, void** arguments) {
  cudaGraphNodeParams params = {cudaGraphNodeTypeKernel};
  params.kernel.func = kernel, params.kernel.gridDim = dim3(1), params.kernel.blockDim = dim3(1);
  params.kernel.kernelParams = arguments;
  cudaGraphNode_t node;
  CHECK(cudaGraphAddNode(&node, graph, after, nullptr, after ? 1 : 0, &params));
  return node;
}

cudaGraph_t* add_condition(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after, size_t count,
                           cudaGraphConditionalHandle handle, cudaGraphConditionalNodeType type, unsigned size) {
  cudaGraphNodeParams params = {cudaGraphNodeTypeConditional};
  params.conditional.handle = handle;
  params.conditional.type = type;
  params.conditional.size = size;
  CHECK(cudaGraphAddNode(node, graph, after, nullptr, count, &params));
  return params.conditional.phGraph_out;
}

int main() {
  const int program[] = {0, 1, 9, 0, 2, 1, 3};
  int *x, *counter, *instructions, h = 0, ten = 10, two = 2, one = -1;
  CHECK(cudaMalloc(&x, sizeof *x));
  CHECK(cudaMalloc(&counter, sizeof *counter));
  CHECK(cudaMalloc(&instructions, sizeof program));
  CHECK(cudaMemcpy(instructions, program, sizeof program, cudaMemcpyHostToDevice));

  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  CHECK(cudaMemsetAsync(x, 0, sizeof *x, stream));
  CHECK(cudaMemsetAsync(counter, 0, sizeof *counter, stream));
  cudaStreamCaptureStatus status;
  cudaGraph_t graph;
  const cudaGraphNode_t* tail;
  size_t count;
  CHECK(cudaStreamGetCaptureInfo(stream, &status, nullptr, &graph, &tail, nullptr, &count));
  cudaGraphConditionalHandle instruction, goes_on;
  CHECK(cudaGraphConditionalHandleCreate(&instruction, graph, 0, 0));
  CHECK(cudaGraphConditionalHandleCreate(&goes_on, graph, 1, cudaGraphCondAssignDefault));
  cudaGraphNode_t loop, choice;
  cudaGraph_t body = add_condition(&loop, graph, tail, count, goes_on, cudaGraphCondTypeWhile, 1)[0];
  void* of_fetch[] = {&instructions, &counter, &instruction, &goes_on};
  const cudaGraphNode_t fetched = add_kernel(body, nullptr, (void*)fetch, of_fetch);
  cudaGraph_t* cases = add_condition(&choice, body, &fetched, 1, instruction, cudaGraphCondTypeSwitch, 3);
  void *of_zero[] = {&x, &ten}, *of_one[] = {&x, &two}, *of_two[] = {&x, &one};
  add_kernel(cases[0], nullptr, (void*)add, of_zero);
  const cudaGraphNode_t doubled = add_kernel(cases[1], nullptr, (void*)multiply, of_one);
  add_kernel(cases[1], &doubled, (void*)multiply, of_one);
  add_kernel(cases[2], nullptr, (void*)add, of_two);
  CHECK(cudaStreamUpdateCaptureDependencies(stream, &loop, nullptr, 1, cudaStreamSetCaptureDependencies));
  CHECK(cudaMemcpyAsync(&h, x, sizeof h, cudaMemcpyDeviceToHost, stream));
  CHECK(cudaStreamEndCapture(stream, &graph));

  cudaGraphExec_t exec;
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  CHECK(cudaGraphLaunch(exec, stream));
  CHECK(cudaStreamSynchronize(stream));
  std::printf("%d\n", h);
  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaGraphDestroy(graph));
  CHECK(cudaStreamDestroy(stream));
  CHECK(cudaFree(x));
  CHECK(cudaFree(counter));
  CHECK(cudaFree(instructions));
}
