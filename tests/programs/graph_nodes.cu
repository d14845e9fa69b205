// Graph nodes whose parameters are queried and then changed, in the graph and in its instance; nodes of all types
// added by one function; queries of a captured graph.
#include "check.h"

__global__ void add(int* x, int value) { x[threadIdx.x] += value; }
__global__ void multiply(int* x, int value) { x[threadIdx.x] *= value; }
__device__ int factors[4];

int *h, *d;

void CUDART_CB count(void* calls) { ++*(int*)calls; }

void run(const char* what, cudaGraphExec_t exec) {
  for (int i = 0; i < 32; i++) h[i] = -1;
  CHECK(cudaGraphLaunch(exec, 0));
  CHECK(cudaDeviceSynchronize());
  std::printf("%s: %d %d\n", what, h[0], h[31]);
}

const char* name(cudaGraphNodeType type) {
  switch (type) {
    case cudaGraphNodeTypeKernel: return "kernel";
    case cudaGraphNodeTypeMemcpy: return "memcpy";
    case cudaGraphNodeTypeMemset: return "memset";
    case cudaGraphNodeTypeHost: return "host";
    case cudaGraphNodeTypeGraph: return "graph";
    case cudaGraphNodeTypeEmpty: return "empty";
    case cudaGraphNodeTypeWaitEvent: return "wait";
    case cudaGraphNodeTypeEventRecord: return "record";
    default: return "other";
  }
}

void change_what_stands() {
  cudaGraph_t graph;
  CHECK(cudaGraphCreate(&graph, 0));
  cudaGraphNode_t clear, kernel, copy, host;
  cudaMemsetParams zeros = {};
  zeros.dst = d, zeros.value = 7, zeros.elementSize = 4, zeros.width = 32, zeros.height = 1;
  CHECK(cudaGraphAddMemsetNode(&clear, graph, nullptr, 0, &zeros));
  int one = 1, calls = 0, others = 0;
  void* arguments[] = {&d, &one};
  cudaKernelNodeParams launch = {};
  launch.func = (void*)add, launch.gridDim = dim3(1), launch.blockDim = dim3(32), launch.kernelParams = arguments;
  CHECK(cudaGraphAddKernelNode(&kernel, graph, &clear, 1, &launch));
  CHECK(cudaGraphAddMemcpyNode1D(&copy, graph, &kernel, 1, h, d, 32 * sizeof(int), cudaMemcpyDeviceToHost));
  cudaHostNodeParams function = {count, &calls};
  CHECK(cudaGraphAddHostNode(&host, graph, &copy, 1, &function));
  one = 100;  // the node has its own copy of the argument

  cudaKernelNodeParams asked = {};
  CHECK(cudaGraphKernelNodeGetParams(kernel, &asked));
  std::printf("kernel: %d, %u x %u, value %d\n", asked.func == (void*)add, asked.gridDim.x, asked.blockDim.x,
              *(int*)asked.kernelParams[1]);
  cudaMemsetParams set = {};
  CHECK(cudaGraphMemsetNodeGetParams(clear, &set));
  std::printf("memset: %d, %u, %u bytes, %zu x %zu\n", set.dst == d, set.value, set.elementSize, set.width, set.height);
  cudaMemcpy3DParms box = {};
  CHECK(cudaGraphMemcpyNodeGetParams(copy, &box));
  std::printf("memcpy: %d %d, %zu x %zu x %zu, %d\n", box.srcPtr.ptr == d, box.dstPtr.ptr == h, box.extent.width,
              box.extent.height, box.extent.depth, box.kind);
  cudaHostNodeParams called = {};
  CHECK(cudaGraphHostNodeGetParams(host, &called));
  std::printf("host: %d %d\n", called.fn == count, called.userData == &calls);

  cudaGraphExec_t exec;
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  run("as made", exec);
  zeros.value = 20;
  CHECK(cudaGraphExecMemsetNodeSetParams(exec, clear, &zeros));
  run("another memset", exec);
  function.userData = &others;
  CHECK(cudaGraphExecHostNodeSetParams(exec, host, &function));
  CHECK(cudaGraphExecMemcpyNodeSetParams1D(exec, copy, h + 1, d, 31 * sizeof(int), cudaMemcpyDeviceToHost));
  run("another copy", exec);
  launch.func = (void*)multiply;
  CHECK(cudaGraphExecKernelNodeSetParams(exec, kernel, &launch));
  run("another kernel", exec);
  CHECK(cudaGraphNodeSetEnabled(exec, kernel, 0));
  unsigned is_enabled = 1;
  CHECK(cudaGraphNodeGetEnabled(exec, kernel, &is_enabled));
  run(is_enabled ? "on" : "off", exec);
  std::printf("calls: %d %d\n", calls, others);

  // The graph itself is still unchanged.
  cudaGraphNode_t found;
  cudaGraph_t clone;
  CHECK(cudaGraphClone(&clone, graph));
  CHECK(cudaGraphNodeFindInClone(&found, kernel, clone));
  launch.func = (void*)add;
  CHECK(cudaGraphKernelNodeSetParams(found, &launch));
  CHECK(cudaGraphMemsetNodeSetParams(clear, &zeros));
  cudaGraphExecUpdateResultInfo info = {};
  CHECK(cudaGraphExecUpdate(exec, graph, &info));
  std::printf("updated: %d\n", info.result);
  run("the graph", exec);
  CHECK(cudaGraphExecUpdate(exec, clone, &info));
  run("the clone", exec);
  cudaGraphNode_t more;
  CHECK(cudaGraphAddEmptyNode(&more, clone, &found, 1));
  const cudaError_t error = cudaGraphExecUpdate(exec, clone, &info);
  std::printf("%s, %d\n", cudaGetErrorName(error), info.result == cudaGraphExecUpdateErrorTopologyChanged);
  cudaGetLastError();
  std::printf("%s\n", cudaGetErrorName(cudaGraphMemsetNodeGetParams(kernel, &set)));
  std::printf("%s\n", cudaGetErrorName(cudaGraphKernelNodeGetParams(kernel, nullptr)));
  cudaGetLastError();
  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaGraphDestroy(clone));
  CHECK(cudaGraphDestroy(graph));
}

void by_one_function() {
  cudaGraph_t graph, inner;
  CHECK(cudaGraphCreate(&graph, 0));
  CHECK(cudaGraphCreate(&inner, 0));
  int values[4] = {3, 4, 5, 6}, back[4] = {}, three = 3, two = 2;
  cudaGraphNode_t set, kernel, child, variable, copy;
  cudaGraphNodeParams params = {};
  params.type = cudaGraphNodeTypeMemset;
  params.memset.dst = d, params.memset.value = 5, params.memset.elementSize = 4, params.memset.width = 32;
  params.memset.height = 1;
  CHECK(cudaGraphAddNode(&set, graph, nullptr, nullptr, 0, &params));
  void* arguments[] = {&d, &three};
  params = {};
  params.type = cudaGraphNodeTypeKernel;
  params.kernel.func = (void*)multiply, params.kernel.gridDim = dim3(1), params.kernel.blockDim = dim3(32);
  params.kernel.kernelParams = arguments;
  CHECK(cudaGraphAddNode(&kernel, inner, nullptr, nullptr, 0, &params));
  cudaGraphNodeParams nested = {};
  nested.type = cudaGraphNodeTypeGraph;
  nested.graph.graph = inner;
  CHECK(cudaGraphAddNode(&child, graph, &set, nullptr, 1, &nested));
  cudaGraphNodeParams moved = {};
  moved.type = cudaGraphNodeTypeMemcpy;
  moved.memcpy.copyParams.srcPtr = make_cudaPitchedPtr(d, 128, 128, 1);
  moved.memcpy.copyParams.dstPtr = make_cudaPitchedPtr(h, 128, 128, 1);
  moved.memcpy.copyParams.extent = make_cudaExtent(128, 1, 1);
  moved.memcpy.copyParams.kind = cudaMemcpyDeviceToHost;
  CHECK(cudaGraphAddNode(&copy, graph, &child, nullptr, 1, &moved));
  CHECK(cudaGraphAddMemcpyNodeToSymbol(&variable, graph, nullptr, 0, factors, values, sizeof values, 0,
                                       cudaMemcpyHostToDevice));
  cudaGraphExec_t exec;
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  run("by one function", exec);
  CHECK(cudaMemcpyFromSymbol(back, factors, sizeof back));
  std::printf("variable: %d %d\n", back[0], back[3]);
  params.kernel.func = (void*)add;
  arguments[1] = &two;
  CHECK(cudaGraphNodeSetParams(kernel, &params));
  CHECK(cudaGraphExecChildGraphNodeSetParams(exec, child, inner));
  run("another child", exec);
  cudaGraph_t held;
  size_t count = 0;
  CHECK(cudaGraphChildGraphNodeGetGraph(child, &held));
  CHECK(cudaGraphGetNodes(held, nullptr, &count));
  std::printf("the child has %zu node\n", count);
  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaGraphDestroy(inner));
  CHECK(cudaGraphDestroy(graph));
}

void look_into_a_capture() {
  cudaStream_t stream;
  cudaGraph_t graph;
  int calls = 0;
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  CHECK(cudaMemsetAsync(d, 0, 32 * sizeof(int), stream));
  add<<<1, 32, 0, stream>>>(d, 40);
  CHECK(cudaLaunchHostFunc(stream, count, &calls));
  CHECK(cudaMemcpyAsync(h, d, 32 * sizeof(int), cudaMemcpyDeviceToHost, stream));
  CHECK(cudaStreamEndCapture(stream, &graph));
  cudaGraphNode_t nodes[4];
  size_t count_of_nodes = 4;
  CHECK(cudaGraphGetNodes(graph, nodes, &count_of_nodes));
  cudaGraphExec_t exec;
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  for (cudaGraphNode_t node : nodes) {
    cudaGraphNodeType type;
    CHECK(cudaGraphNodeGetType(node, &type));
    std::printf("%s ", name(type));
    if (type != cudaGraphNodeTypeKernel) continue;
    cudaKernelNodeParams launch = {};
    CHECK(cudaGraphKernelNodeGetParams(node, &launch));
    int value = *(int*)launch.kernelParams[1] + 2;
    void* arguments[] = {launch.kernelParams[0], &value};
    launch.kernelParams = arguments;
    CHECK(cudaGraphExecKernelNodeSetParams(exec, node, &launch));
  }
  run("\ncaptured", exec);
  std::printf("calls: %d\n", calls);
  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaGraphDestroy(graph));
  CHECK(cudaStreamDestroy(stream));
}

int main() {
  CHECK(cudaMallocHost(&h, 32 * sizeof(int)));
  CHECK(cudaMalloc(&d, 32 * sizeof(int)));
  change_what_stands();
  by_one_function();
  look_into_a_capture();
  CHECK(cudaFreeHost(h));
  CHECK(cudaFree(d));
}
