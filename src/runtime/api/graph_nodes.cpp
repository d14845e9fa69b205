// The nodes of graphs: added one by one, joined, and changed later, in a graph or in what was instantiated
// from it. What the functions of each type take is led to what cudaGraphAddNode takes.
#include <algorithm>
#include <functional>
#include <set>

#include "runtime/api/graph_handles.h"
#include "runtime/arrays.h"
#include "runtime/call.h"
#include "runtime/copies.h"
#include "runtime/streams/launching.h"

using namespace cudalab;
using namespace cudalab::runtime;

namespace {

// Where a node is to stand, as the functions that add one are told.
struct NodePlace {
  cudaGraphNode_t* node;
  cudaGraph_t graph;
  const cudaGraphNode_t* after;
  std::size_t count;
};

Event& event_behind(cudaEvent_t handle) {
  auto* event = reinterpret_cast<Event*>(handle);
  require(handle && the_runtime().events.contains(event), cudaErrorInvalidResourceHandle,
          "this is no event, or one that was destroyed");
  return *event;
}

// A stream that is captured makes the job of a call, and runs nothing.
Job job_of(const std::function<void(Stream&)>& call) {
  Stream scratch;
  scratch.device = this_thread().device;
  scratch.capture = std::make_shared<Graph>();
  call(scratch);
  return scratch.capture->nodes.empty() ? Job{} : scratch.capture->nodes.back().job;
}

Job kernel_node_job(const cudaKernelNodeParamsV2& params) {
  require(params.func && (params.kernelParams || params.extra == nullptr), cudaErrorInvalidValue,
          "the node names no kernel");
  KernelLaunch shape;
  shape.grid = {params.gridDim.x, params.gridDim.y, params.gridDim.z};
  shape.block = {params.blockDim.x, params.blockDim.y, params.blockDim.z};
  shape.shared_bytes = params.sharedMemBytes;
  return kernel_job(the_runtime().modules.kernel_of(params.func), shape, params.kernelParams,
                    this_thread().device);
}

Job copy_node_job(const char* call, const cudaMemcpy3DParms& params) {
  return job_of([&](Stream& stream) { copy(call, box_of(params), params.kind, stream, false); });
}

Job memset_node_job(const char* call, const cudaMemsetParamsV2& params) {
  require(params.elementSize == 1 || params.elementSize == 2 || params.elementSize == 4,
          cudaErrorInvalidValue, "an element has 1, 2 or 4 bytes");
  const Side to{reinterpret_cast<std::uint64_t>(params.dst), params.pitch, params.pitch * params.height,
                false};
  return job_of([&](Stream& stream) {
    fill(call, to, params.width * params.elementSize, params.height, 1, {params.value, params.elementSize},
         stream, false);
  });
}

Job host_node_job(const cudaHostNodeParamsV2& params) {
  require(params.fn, cudaErrorInvalidValue, "the node names no function");
  return {.name = "a function of the host", .engine = Engine::kNone, .run = [host = params] {
            host.fn(host.userData);
            return Outcome{};
          }};
}

std::shared_ptr<Graph> child_of(const Graph& parent, cudaGraph_t child) {
  const Graph& inner = *graph_of(child).graph;
  require(&inner != &parent, cudaErrorInvalidValue, "a graph cannot hold itself");
  require(!inner.has_conditions(), cudaErrorNotSupported,
          "a graph with conditional nodes cannot be a node of another");
  return instance_of(inner);
}

void* add_memory(Graph& owner, const cudaMemAllocNodeParamsV2& params) {
  require(params.bytesize > 0, cudaErrorInvalidValue, "0 bytes are asked for");
  owner.memory.push_back(
      std::make_shared<const GraphMemory>("cudaGraphAddMemAllocNode", params.bytesize, this_thread().device));
  return reinterpret_cast<void*>(owner.memory.back()->address());
}

bool is_size_right(const cudaConditionalNodeParams& params) {
  switch (params.type) {
    case cudaGraphCondTypeIf: return params.size == 1 || params.size == 2;
    case cudaGraphCondTypeWhile: return params.size == 1;
    case cudaGraphCondTypeSwitch: return params.size > 0;
    default: return false;
  }
}

// The bodies are the node's: empty graphs, which the program fills.
void add_condition(GraphNode& node, cudaConditionalNodeParams& params) {
  static std::set<cudaGraphConditionalHandle> used;
  require(the_runtime().conditions.value(params.handle).has_value(), cudaErrorInvalidValue,
          "the handle is none of cudaGraphConditionalHandleCreate");
  require(is_size_right(params), cudaErrorInvalidValue,
          "an if has 1 or 2 bodies, a while has 1, a switch has at least 1");
  require(used.insert(params.handle).second, cudaErrorInvalidValue, "another node has the handle");
  auto condition = std::make_shared<Condition>();
  condition->handle = params.handle;
  condition->type = params.type;
  for (unsigned i = 0; i < params.size; ++i) {
    condition->bodies.push_back(std::make_shared<Graph>());
    condition->handles.push_back(reinterpret_cast<cudaGraph_t>(new_graph(condition->bodies.back())));
  }
  params.phGraph_out = condition->handles.data();
  node.condition = std::move(condition);
}

// What the node does from now on; its place in the graph stays.
void fill_node(const char* call, Graph& owner, GraphNode& node, cudaGraphNodeParams& params) {
  node.type = params.type;
  switch (params.type) {
    case cudaGraphNodeTypeEmpty: node.job = {}; break;
    case cudaGraphNodeTypeKernel: node.job = kernel_node_job(params.kernel); break;
    case cudaGraphNodeTypeMemcpy: node.job = copy_node_job(call, params.memcpy.copyParams); break;
    case cudaGraphNodeTypeMemset: node.job = memset_node_job(call, params.memset); break;
    case cudaGraphNodeTypeHost: node.job = host_node_job(params.host); break;
    case cudaGraphNodeTypeGraph: node.child = child_of(owner, params.graph.graph); break;
    case cudaGraphNodeTypeEventRecord: node.records = &event_behind(params.eventRecord.event); break;
    case cudaGraphNodeTypeWaitEvent: node.waits_for = &event_behind(params.eventWait.event); break;
    case cudaGraphNodeTypeMemAlloc: params.alloc.dptr = add_memory(owner, params.alloc); return;
    case cudaGraphNodeTypeConditional: add_condition(node, params.conditional); break;
    // The memory keeps its address, and is given back with the graph.
    case cudaGraphNodeTypeMemFree:
      require(owner.owns(reinterpret_cast<std::uint64_t>(params.free.dptr)), cudaErrorInvalidValue,
              "the pointer leads to no memory of the graph");
      break;
    default: throw Failure{cudaErrorNotSupported, "the virtual GPU has no nodes of this type"};
  }
  // A kernel's arguments are copied; of all else the program's own words are told again.
  if (params.type != cudaGraphNodeTypeKernel) node.job.as_node = [params] { return params; };
}

void add(const char* call, const NodePlace& place, cudaGraphNodeParams& params) {
  Graph& graph = *graph_of(place.graph).graph;
  require(place.node, cudaErrorInvalidValue, "the pointer to the node is null");
  GraphNode made;
  for (std::size_t i = 0; i < place.count; ++i) made.after.push_back(index_in(graph, place.after[i]));
  fill_node(call, graph, made, params);
  graph.nodes.push_back(std::move(made));
  *place.node = node_at(graph, graph.nodes.size() - 1);
}

void change(const char* call, Graph& owner, GraphNode& node, cudaGraphNodeParams params) {
  require(node.type == params.type, cudaErrorInvalidValue, "the node is of another type");
  require(!node.condition, cudaErrorNotSupported, "conditional nodes stay as they were made");
  fill_node(call, owner, node, params);
}

// `convert` says how a type's own parameters become those of any type, and back.
template <class Own>
cudaGraphNodeParams params_of(const Own* own, cudaGraphNodeType type,
                              void (*convert)(const Own&, cudaGraphNodeParams&)) {
  require(own, cudaErrorInvalidValue, "the pointer to the parameters is null");
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

// What a node was made from; of a captured copy of an array nothing is known.
cudaError_t get_params(const char* call, cudaGraphNode_t node, cudaGraphNodeType type, const void* to,
                       const std::function<void(const cudaGraphNodeParams&)>& tell) {
  return answer(call, [&] {
    const GraphNode& found = node_of(node).node();
    require(to, cudaErrorInvalidValue, "the pointer to the parameters is null");
    require(found.type == type, cudaErrorInvalidValue, "the node is of another type");
    require(static_cast<bool>(found.job.as_node), cudaErrorNotSupported,
            "what the node was made from is not known");
    tell(found.job.as_node());
  });
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

cudaError_t cudaGraphAddNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                             const cudaGraphEdgeData*, std::size_t count, cudaGraphNodeParams* params) {
  return answer(__func__, [&] {
    require(params, cudaErrorInvalidValue, "the pointer to the parameters is null");
    add("cudaGraphAddNode", {node, graph, after, count}, *params);
  });
}
cudaError_t cudaGraphNodeSetParams(cudaGraphNode_t node, cudaGraphNodeParams* params) {
  return set_node(__func__, node, [&] {
    require(params, cudaErrorInvalidValue, "the pointer to the parameters is null");
    return *params;
  });
}
cudaError_t cudaGraphExecNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                       cudaGraphNodeParams* params) {
  return set_node(__func__, exec, node, [&] {
    require(params, cudaErrorInvalidValue, "the pointer to the parameters is null");
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
    require(child && found.child, cudaErrorInvalidValue,
            "the pointer to the graph is null, or the node holds none");
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
    require(params, cudaErrorInvalidValue, "the pointer to the parameters is null");
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

// ---- what holds for nodes of all types -----------------------------------------------------------------
// What came behind it comes behind nothing of it any more.
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
              cudaErrorInvalidValue, "there is no such edge");
  });
}
cudaError_t cudaGraphAddDependencies(cudaGraph_t handle, const cudaGraphNode_t* from,
                                     const cudaGraphNode_t* to, const cudaGraphEdgeData*, std::size_t count) {
  return answer(__func__, [&] {
    Graph& graph = *graph_of(handle).graph;
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t before = index_in(graph, from[i]), after = index_in(graph, to[i]);
      require(before != after, cudaErrorInvalidValue, "a node cannot come behind itself");
      graph.nodes[after].after.push_back(before);
    }
  });
}

// A node that is switched off does nothing; what comes behind it comes behind what it came behind.
cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node, unsigned is_enabled) {
  return answer(__func__, [&] {
    GraphNode& found = node_in(exec, node);
    require(found.type <= cudaGraphNodeTypeMemset, cudaErrorInvalidValue,
            "only kernels, copies and memsets can be switched off");
    found.is_enabled = is_enabled != 0;
  });
}
cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node, unsigned* is_enabled) {
  return answer(__func__, [&] {
    require(is_enabled, cudaErrorInvalidValue, "a pointer is null");
    *is_enabled = node_in(exec, node).is_enabled;
  });
}
cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t* node, cudaGraphNode_t original, cudaGraph_t clone) {
  return answer(__func__, [&] {
    Graph& graph = *graph_of(clone).graph;
    const std::size_t index = node_of(original).index;
    require(node && index < graph.nodes.size(), cudaErrorInvalidValue, "the clone has no such node");
    *node = node_at(graph, index);
  });
}

}  // extern "C"
#pragma GCC visibility pop
