// Wrong uses of conditional nodes, each with its error. graph_conditions.txt contains the errors of an
// H100.
#include "try.h"

__global__ void idle() {}

cudaGraph_t new_graph() {
  cudaGraph_t graph;
  cudaGraphCreate(&graph, 0);
  return graph;
}

cudaGraphConditionalHandle new_handle(cudaGraph_t graph) {
  cudaGraphConditionalHandle handle;
  cudaGraphConditionalHandleCreate(&handle, graph, 1, cudaGraphCondAssignDefault);
  return handle;
}

cudaGraphNodeParams condition(cudaGraphConditionalHandle handle, cudaGraphConditionalNodeType type, unsigned size) {
  cudaGraphNodeParams params = {cudaGraphNodeTypeConditional};
  params.conditional.handle = handle;
  params.conditional.type = type;
  params.conditional.size = size;
  return params;
}

// A graph with a conditional node whose body is empty.
cudaGraph_t with_condition(cudaGraphNode_t* node, cudaGraph_t* body) {
  const cudaGraph_t graph = new_graph();
  cudaGraphNodeParams params = condition(new_handle(graph), cudaGraphCondTypeIf, 1);
  cudaGraphAddNode(node, graph, nullptr, nullptr, 0, &params);
  *body = params.conditional.phGraph_out[0];
  return graph;
}

int main() {
  cudaGraph_t graph = new_graph(), body, clone;
  cudaGraphConditionalHandle handle;
  cudaGraphNode_t node, inner;
  TRY(cudaGraphConditionalHandleCreate(nullptr, graph, 0, 0));
  TRY(cudaGraphConditionalHandleCreate(&handle, nullptr, 0, 0));
  TRY(cudaGraphConditionalHandleCreate(&handle, graph, 0, 7));
  TRY(cudaGraphConditionalHandleCreate(&handle, graph, 5, 0));
  cudaGraphNodeParams none = condition(handle, cudaGraphCondTypeIf, 0), three = condition(handle, cudaGraphCondTypeIf, 3),
                      two = condition(handle, cudaGraphCondTypeWhile, 2),
                      empty = condition(handle, cudaGraphCondTypeSwitch, 0),
                      unknown = condition(handle, (cudaGraphConditionalNodeType)77, 1),
                      right = condition(handle, cudaGraphCondTypeSwitch, 5);
  TRY(cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &none));
  TRY(cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &three));
  TRY(cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &two));
  TRY(cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &empty));
  TRY(cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &unknown));
  cudaGraphExec_t exec, second;
  TRY(cudaGraphInstantiate(&exec, graph, 0));
  TRY(cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &right));
  TRY(cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &right));

  graph = with_condition(&node, &body);
  cudaGraphNodeParams host = {cudaGraphNodeTypeHost}, nothing = {cudaGraphNodeTypeEmpty}, child = {cudaGraphNodeTypeGraph},
                      record = {cudaGraphNodeTypeEventRecord}, allocation = {cudaGraphNodeTypeMemAlloc};
  host.host.fn = [](void*) {};
  cudaEvent_t event;
  cudaEventCreate(&event);
  record.eventRecord.event = event;
  allocation.alloc.poolProps.allocType = cudaMemAllocationTypePinned;
  allocation.alloc.poolProps.location = {cudaMemLocationTypeDevice, 0};
  allocation.alloc.bytesize = 256;
  TRY(cudaGraphAddNode(&inner, body, nullptr, nullptr, 0, &nothing));
  for (cudaGraphNodeParams* params : {&host, &record, &allocation}) {
    const cudaGraph_t whole = with_condition(&node, &body);
    TRY(cudaGraphAddNode(&inner, body, nullptr, nullptr, 0, params));
    TRY(cudaGraphInstantiate(&exec, whole, 0));
  }
  int *device, pageable[4], *pinned;
  cudaMalloc(&device, sizeof pageable);
  cudaMallocHost(&pinned, sizeof pageable);
  for (int* from : {pageable, pinned}) {
    const cudaGraph_t whole = with_condition(&node, &body);
    TRY(cudaGraphAddMemcpyNode1D(&inner, body, nullptr, 0, device, from, 16, cudaMemcpyHostToDevice));
    TRY(cudaGraphInstantiate(&exec, whole, 0));
  }
  child.graph.graph = graph;
  TRY(cudaGraphAddNode(&inner, new_graph(), nullptr, nullptr, 0, &child));
  TRY(cudaGraphClone(&clone, graph));
  graph = with_condition(&node, &body);
  cudaGraphNodeParams changed = condition(new_handle(graph), cudaGraphCondTypeIf, 1);
  TRY(cudaGraphNodeSetParams(node, &changed));
  graph = with_condition(&node, &body);
  TRY(cudaGraphInstantiate(&exec, graph, 0));
  TRY(cudaGraphInstantiate(&second, graph, 0));
  TRY(cudaGraphExecDestroy(exec));
  TRY(cudaGraphInstantiate(&second, graph, 0));
  TRY(cudaGraphLaunch(second, 0));
  TRY(cudaDeviceSynchronize());
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  TRY(cudaStreamBeginCaptureToGraph(stream, nullptr, nullptr, nullptr, 0, cudaStreamCaptureModeGlobal));
  TRY(cudaStreamBeginCaptureToGraph(nullptr, new_graph(), nullptr, nullptr, 0, cudaStreamCaptureModeGlobal));
  TRY(cudaStreamUpdateCaptureDependencies(stream, nullptr, nullptr, 0, cudaStreamSetCaptureDependencies));
  graph = with_condition(&node, &body);
  TRY(cudaStreamBeginCaptureToGraph(stream, body, nullptr, nullptr, 0, cudaStreamCaptureModeGlobal));
  TRY(cudaStreamUpdateCaptureDependencies(stream, &node, nullptr, 1, cudaStreamSetCaptureDependencies));
  TRY(cudaStreamUpdateCaptureDependencies(stream, nullptr, nullptr, 0, 7));
  TRY(cudaLaunchHostFunc(stream, [](void*) {}, nullptr));
  TRY(cudaStreamEndCapture(stream, nullptr));
  TRY(cudaGraphInstantiate(&exec, graph, 0));
}
