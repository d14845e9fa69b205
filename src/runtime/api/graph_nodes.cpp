// The nodes of graphs: adding, connecting and changing them, in a graph or in an instance. The functions for
// one type of node convert their parameters to cudaGraphNodeParams.
#include <functional>

#include "messages/runtime.h"
#include "runtime/api/graph_handles.h"
#include "runtime/arrays.h"
#include "runtime/call.h"
#include "runtime/copies.h"
#include "runtime/streams/launching.h"

using namespace cudalab;
using namespace cudalab::runtime;

namespace {

// The parameters that all functions for adding a node share.
struct NodePlace {
  cudaGraphNode_t* node;
  cudaGraph_t graph;
  const cudaGraphNode_t* after;
  std::size_t count;
};

void add(const char* call, const NodePlace& place, cudaGraphNodeParams& params) {
  Graph& graph = *graph_of(place.graph).graph;
  require(place.node, cudaErrorInvalidValue, msg::pointer_to_node_null());
  GraphNode made;
  for (std::size_t i = 0; i < place.count; ++i) made.after.push_back(index_in(graph, place.after[i]));
  fill_node(call, graph, made, params);
  graph.nodes.push_back(std::move(made));
  *place.node = node_at(graph, graph.nodes.size() - 1);
}

void change(const char* call, Graph& owner, GraphNode& node, cudaGraphNodeParams params) {
  require(node.type == params.type, cudaErrorInvalidValue, msg::node_of_other_type());
  require(!node.condition, cudaErrorNotSupported, msg::node_conditional_unchangeable());
  fill_node(call, owner, node, params);
}

// `convert` turns the parameters of one node type into cudaGraphNodeParams, or back.
template <class Own>
cudaGraphNodeParams params_of(const Own* own, cudaGraphNodeType type,
                              void (*convert)(const Own&, cudaGraphNodeParams&)) {
  require(own, cudaErrorInvalidValue, msg::pointer_to_parameters_null());
  cudaGraphNodeParams params{};
  params.type = type;
  convert(*own, params);
  return params;
}

cudaGraphNodeParams params_of(const cudaKernelNodeParams* own) {
  return params_of<cudaKernelNodeParams>(own, cudaGraphNodeTypeKernel, [](const auto& from, auto& to) {
    to.kernel = {from.func, from.gridDim, from.blockDim, from.sharedMemBytes, from.kernelParams, from.extra};
  });
}
cudaGraphNodeParams params_of(const cudaMemcpy3DParms* own) {
  return params_of<cudaMemcpy3DParms>(own, cudaGraphNodeTypeMemcpy,
                                      [](const auto& from, auto& to) { to.memcpy.copyParams = from; });
}
cudaGraphNodeParams params_of(const cudaMemsetParams* own) {
  return params_of<cudaMemsetParams>(own, cudaGraphNodeTypeMemset, [](const auto& from, auto& to) {
    to.memset = {from.dst, from.pitch, from.value, from.elementSize, from.width, from.height};
  });
}
cudaGraphNodeParams params_of(const cudaHostNodeParams* own) {
  return params_of<cudaHostNodeParams>(own, cudaGraphNodeTypeHost, [](const auto& from, auto& to) {
    to.host = {from.fn, from.userData};
  });
}
cudaGraphNodeParams params_of_line(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  cudaMemcpy3DParms params{};
  params.srcPtr = cudaPitchedPtr{const_cast<void*>(from), bytes, bytes, 1};
  params.dstPtr = cudaPitchedPtr{to, bytes, bytes, 1};
  params.extent = cudaExtent{bytes, 1, 1};
  params.kind = kind;
  return params_of(&params);
}
cudaGraphNodeParams params_of_event(cudaEvent_t event, cudaGraphNodeType type) {
  cudaGraphNodeParams params{};
  params.type = type;
  (type == cudaGraphNodeTypeEventRecord ? params.eventRecord.event : params.eventWait.event) = event;
  return params;
}
cudaGraphNodeParams params_of_child(cudaGraph_t child) {
  cudaGraphNodeParams params{};
  params.type = cudaGraphNodeTypeGraph;
  params.graph.graph = child;
  return params;
}

void* variable_at(const void* symbol, std::size_t offset) {
  std::size_t bytes = 0;
  return reinterpret_cast<void*>(the_runtime().modules.address_of(symbol, this_thread().device, bytes) +
                                 offset);
}

using Params = std::function<cudaGraphNodeParams()>;

cudaError_t add_node(const char* call, const NodePlace& place, const Params& params) {
  return answer(call, [&] {
    cudaGraphNodeParams made = params();
    add(call, place, made);
  });
}
cudaError_t set_node(const char* call, cudaGraphNode_t node, const Params& params) {
  return answer(call, [&] { change(call, *node_of(node).graph, node_of(node).node(), params()); });
}
cudaError_t set_node(const char* call, cudaGraphExec_t exec, cudaGraphNode_t node, const Params& params) {
  return answer(call, [&] { change(call, *graph_of(exec).graph, node_in(exec, node), params()); });
}

// Returns the parameters of a node. They are unknown for a captured copy of an array.
cudaError_t get_params(const char* call, cudaGraphNode_t node, cudaGraphNodeType type, const void* to,
                       const std::function<void(const cudaGraphNodeParams&)>& tell) {
  return answer(call, [&] {
    const GraphNode& found = node_of(node).node();
    require(to, cudaErrorInvalidValue, msg::pointer_to_parameters_null());
    require(found.type == type, cudaErrorInvalidValue, msg::node_of_other_type());
    require(static_cast<bool>(found.job.as_node), cudaErrorNotSupported, msg::node_origin_unknown());
    tell(found.job.as_node());
  });
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

cudaError_t cudaGraphAddNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                             const cudaGraphEdgeData*, std::size_t count, cudaGraphNodeParams* params) {
  return answer(__func__, [&] {
    require(params, cudaErrorInvalidValue, msg::pointer_to_parameters_null());
    add("cudaGraphAddNode", {node, graph, after, count}, *params);
  });
}
cudaError_t cudaGraphNodeSetParams(cudaGraphNode_t node, cudaGraphNodeParams* params) {
  return set_node(__func__, node, [&] {
    require(params, cudaErrorInvalidValue, msg::pointer_to_parameters_null());
    return *params;
  });
}
cudaError_t cudaGraphExecNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                       cudaGraphNodeParams* params) {
  return set_node(__func__, exec, node, [&] {
    require(params, cudaErrorInvalidValue, msg::pointer_to_parameters_null());
    return *params;
  });
}

cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                                  std::size_t count) {
  return add_node(__func__, {node, graph, after, count}, [] {
    cudaGraphNodeParams params{};
    params.type = cudaGraphNodeTypeEmpty;
    return params;
  });
}

// ---- kernels -------------------------------------------------------------------------------------------
cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                                   std::size_t count, const cudaKernelNodeParams* params) {
  return add_node(__func__, {node, graph, after, count}, [&] { return params_of(params); });
}
cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node, const cudaKernelNodeParams* params) {
  return set_node(__func__, node, [&] { return params_of(params); });
}
cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const cudaKernelNodeParams* params) {
  return set_node(__func__, exec, node, [&] { return params_of(params); });
}
cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node, cudaKernelNodeParams* params) {
  return get_params(__func__, node, cudaGraphNodeTypeKernel, params, [&](const cudaGraphNodeParams& made) {
    const cudaKernelNodeParamsV2& from = made.kernel;
    *params = {from.func, from.gridDim, from.blockDim, from.sharedMemBytes, from.kernelParams, from.extra};
  });
}

// ---- copies --------------------------------------------------------------------------------------------
cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                                   std::size_t count, const cudaMemcpy3DParms* params) {
  return add_node(__func__, {node, graph, after, count}, [&] { return params_of(params); });
}
cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                                     std::size_t count, void* to, const void* from, std::size_t bytes,
                                     cudaMemcpyKind kind) {
  return add_node(__func__, {node, graph, after, count},
                  [&] { return params_of_line(to, from, bytes, kind); });
}
cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t* node, cudaGraph_t graph,
                                           const cudaGraphNode_t* after, std::size_t count,
                                           const void* symbol, const void* from, std::size_t bytes,
                                           std::size_t offset, cudaMemcpyKind kind) {
  return add_node(__func__, {node, graph, after, count},
                  [&] { return params_of_line(variable_at(symbol, offset), from, bytes, kind); });
}
cudaError_t cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t* node, cudaGraph_t graph,
                                             const cudaGraphNode_t* after, std::size_t count, void* to,
                                             const void* symbol, std::size_t bytes, std::size_t offset,
                                             cudaMemcpyKind kind) {
  return add_node(__func__, {node, graph, after, count},
                  [&] { return params_of_line(to, variable_at(symbol, offset), bytes, kind); });
}
cudaError_t cudaGraphMemcpyNodeSetParams(cudaGraphNode_t node, const cudaMemcpy3DParms* params) {
  return set_node(__func__, node, [&] { return params_of(params); });
}
cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void* to, const void* from,
                                           std::size_t bytes, cudaMemcpyKind kind) {
  return set_node(__func__, node, [&] { return params_of_line(to, from, bytes, kind); });
}
cudaError_t cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const cudaMemcpy3DParms* params) {
  return set_node(__func__, exec, node, [&] { return params_of(params); });
}
cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t exec, cudaGraphNode_t node, void* to,
                                               const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  return set_node(__func__, exec, node, [&] { return params_of_line(to, from, bytes, kind); });
}
cudaError_t cudaGraphMemcpyNodeGetParams(cudaGraphNode_t node, cudaMemcpy3DParms* params) {
  return get_params(__func__, node, cudaGraphNodeTypeMemcpy, params,
                    [&](const cudaGraphNodeParams& made) { *params = made.memcpy.copyParams; });
}

// ---- memsets, functions of the host --------------------------------------------------------------------
cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                                   std::size_t count, const cudaMemsetParams* params) {
  return add_node(__func__, {node, graph, after, count}, [&] { return params_of(params); });
}
cudaError_t cudaGraphMemsetNodeSetParams(cudaGraphNode_t node, const cudaMemsetParams* params) {
  return set_node(__func__, node, [&] { return params_of(params); });
}
cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const cudaMemsetParams* params) {
  return set_node(__func__, exec, node, [&] { return params_of(params); });
}
cudaError_t cudaGraphMemsetNodeGetParams(cudaGraphNode_t node, cudaMemsetParams* params) {
  return get_params(__func__, node, cudaGraphNodeTypeMemset, params, [&](const cudaGraphNodeParams& made) {
    const cudaMemsetParamsV2& from = made.memset;
    *params = {from.dst, from.pitch, from.value, from.elementSize, from.width, from.height};
  });
}
cudaError_t cudaGraphAddHostNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                                 std::size_t count, const cudaHostNodeParams* params) {
  return add_node(__func__, {node, graph, after, count}, [&] { return params_of(params); });
}
cudaError_t cudaGraphHostNodeSetParams(cudaGraphNode_t node, const cudaHostNodeParams* params) {
  return set_node(__func__, node, [&] { return params_of(params); });
}
cudaError_t cudaGraphExecHostNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                           const cudaHostNodeParams* params) {
  return set_node(__func__, exec, node, [&] { return params_of(params); });
}
cudaError_t cudaGraphHostNodeGetParams(cudaGraphNode_t node, cudaHostNodeParams* params) {
  return get_params(__func__, node, cudaGraphNodeTypeHost, params, [&](const cudaGraphNodeParams& made) {
    *params = {made.host.fn, made.host.userData};
  });
}

// ---- graphs in graphs, events --------------------------------------------------------------------------
cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                                       std::size_t count, cudaGraph_t child) {
  return add_node(__func__, {node, graph, after, count}, [&] { return params_of_child(child); });
}
cudaError_t cudaGraphExecChildGraphNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                 cudaGraph_t child) {
  return set_node(__func__, exec, node, [&] { return params_of_child(child); });
}
cudaError_t cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t node, cudaGraph_t* child) {
  return answer(__func__, [&] {
    const GraphNode& found = node_of(node).node();
    require(child && found.child, cudaErrorInvalidValue, msg::pointer_to_graph_null_or_none());
    *child = reinterpret_cast<cudaGraph_t>(handle_of(found.child));
  });
}
cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                        const cudaGraphNode_t* after, std::size_t count, cudaEvent_t event) {
  return add_node(__func__, {node, graph, after, count},
                  [&] { return params_of_event(event, cudaGraphNodeTypeEventRecord); });
}
cudaError_t cudaGraphAddEventWaitNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                                      std::size_t count, cudaEvent_t event) {
  return add_node(__func__, {node, graph, after, count},
                  [&] { return params_of_event(event, cudaGraphNodeTypeWaitEvent); });
}
cudaError_t cudaGraphEventRecordNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event) {
  return set_node(__func__, node, [&] { return params_of_event(event, cudaGraphNodeTypeEventRecord); });
}
cudaError_t cudaGraphEventWaitNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event) {
  return set_node(__func__, node, [&] { return params_of_event(event, cudaGraphNodeTypeWaitEvent); });
}
cudaError_t cudaGraphExecEventRecordNodeSetEvent(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                 cudaEvent_t event) {
  return set_node(__func__, exec, node, [&] { return params_of_event(event, cudaGraphNodeTypeEventRecord); });
}
cudaError_t cudaGraphExecEventWaitNodeSetEvent(cudaGraphExec_t exec, cudaGraphNode_t node,
                                               cudaEvent_t event) {
  return set_node(__func__, exec, node, [&] { return params_of_event(event, cudaGraphNodeTypeWaitEvent); });
}
cudaError_t cudaGraphEventRecordNodeGetEvent(cudaGraphNode_t node, cudaEvent_t* event) {
  return get_params(__func__, node, cudaGraphNodeTypeEventRecord, event,
                    [&](const cudaGraphNodeParams& made) { *event = made.eventRecord.event; });
}
cudaError_t cudaGraphEventWaitNodeGetEvent(cudaGraphNode_t node, cudaEvent_t* event) {
  return get_params(__func__, node, cudaGraphNodeTypeWaitEvent, event,
                    [&](const cudaGraphNodeParams& made) { *event = made.eventWait.event; });
}

// ---- memory --------------------------------------------------------------------------------------------
cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                                     std::size_t count, cudaMemAllocNodeParams* params) {
  return answer(__func__, [&] {
    require(params, cudaErrorInvalidValue, msg::pointer_to_parameters_null());
    cudaGraphNodeParams made{};
    made.type = cudaGraphNodeTypeMemAlloc;
    made.alloc.bytesize = params->bytesize;
    add("cudaGraphAddMemAllocNode", {node, graph, after, count}, made);
    params->dptr = made.alloc.dptr;
  });
}
cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                                    std::size_t count, void* memory) {
  return add_node(__func__, {node, graph, after, count}, [&] {
    cudaGraphNodeParams params{};
    params.type = cudaGraphNodeTypeMemFree;
    params.free.dptr = memory;
    return params;
  });
}

// ---- nodes of all types --------------------------------------------------------------------------------
//
// A removed node disappears from the dependencies of all other nodes.
cudaError_t cudaGraphDestroyNode(cudaGraphNode_t node) {
  return answer(__func__, [&] {
    const NodeHandle& handle = node_of(node);
    for (GraphNode& other : handle.graph->nodes) std::erase(other.after, handle.index);
    handle.graph->nodes.at(handle.index) = {.type = cudaGraphNodeTypeEmpty, .is_removed = true};
  });
}
cudaError_t cudaGraphRemoveDependencies(cudaGraph_t handle, const cudaGraphNode_t* from,
                                        const cudaGraphNode_t* to, const cudaGraphEdgeData*,
                                        std::size_t count) {
  return answer(__func__, [&] {
    Graph& graph = *graph_of(handle).graph;
    for (std::size_t i = 0; i < count; ++i)
      require(std::erase(graph.nodes[index_in(graph, to[i])].after, index_in(graph, from[i])) > 0,
              cudaErrorInvalidValue, msg::graph_edge_unknown());
  });
}
cudaError_t cudaGraphAddDependencies(cudaGraph_t handle, const cudaGraphNode_t* from,
                                     const cudaGraphNode_t* to, const cudaGraphEdgeData*, std::size_t count) {
  return answer(__func__, [&] {
    Graph& graph = *graph_of(handle).graph;
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t before = index_in(graph, from[i]), after = index_in(graph, to[i]);
      require(before != after, cudaErrorInvalidValue, msg::node_behind_itself());
      graph.nodes[after].after.push_back(before);
    }
  });
}

// A disabled node does nothing, but its successors still wait for its predecessors.
cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node, unsigned is_enabled) {
  return answer(__func__, [&] {
    GraphNode& found = node_in(exec, node);
    require(found.type <= cudaGraphNodeTypeMemset, cudaErrorInvalidValue, msg::node_not_switchable());
    found.is_enabled = is_enabled != 0;
  });
}
cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node, unsigned* is_enabled) {
  return answer(__func__, [&] {
    require(is_enabled, cudaErrorInvalidValue, msg::pointer_null());
    *is_enabled = node_in(exec, node).is_enabled;
  });
}
cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t* node, cudaGraphNode_t original, cudaGraph_t clone) {
  return answer(__func__, [&] {
    Graph& graph = *graph_of(clone).graph;
    const std::size_t index = node_of(original).index;
    require(node && index < graph.nodes.size(), cudaErrorInvalidValue, msg::graph_clone_lacks_node());
    *node = node_at(graph, index);
  });
}

}  // extern "C"
#pragma GCC visibility pop
