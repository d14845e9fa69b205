// The runtime API's graphs: capture, instantiation, updates, launches, and queries of nodes and edges.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <set>
#include <utility>

#include "messages/runtime.h"
#include "runtime/api/graph_handles.h"
#include "runtime/call.h"

// Queries of a graph: its nodes, edges and node types, and its drawing in DOT.

using namespace cudalab;
using namespace cudalab::runtime;

namespace {

// Pairs of node indices: (predecessor, successor).
std::vector<std::pair<std::size_t, std::size_t>> edges_of(const Graph& graph) {
  std::vector<std::pair<std::size_t, std::size_t>> edges;
  for (std::size_t i = 0; i < graph.nodes.size(); ++i)
    for (const std::size_t before : graph.nodes[i].after) edges.emplace_back(before, i);
  return edges;
}

// Lists as many nodes as the array has room for, and sets `count` to the number of nodes.
template <class Holds>
void list_nodes(Graph& graph, cudaGraphNode_t* nodes, std::size_t* count, const Holds& holds) {
  require(count, cudaErrorInvalidValue, msg::pointer_to_number_null());
  std::size_t found = 0;
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    if (graph.nodes[i].is_removed || !holds(i)) continue;
    if (nodes && found < *count) nodes[found] = node_at(graph, i);
    ++found;
  }
  *count = found;
}

std::string label_of(const GraphNode& node) {
  if (node.job.is_kernel) return readable(node.job.name);
  if (!node.job.name.empty()) return node.job.name;
  return node.child       ? "a graph"
         : node.condition ? "a condition"
         : node.records   ? "an event is recorded"
         : node.waits_for ? "waits"
                          : "nothing";
}

std::string drawn(const Graph& graph) {
  std::string text = "digraph dot {\n";
  for (std::size_t i = 0; i < graph.nodes.size(); ++i)
    if (!graph.nodes[i].is_removed)
      text += fmt::format("  \"{0}\" [label=\"{0}\\n{1}\"];\n", i, label_of(graph.nodes[i]));
  for (const auto& [before, after] : edges_of(graph))
    text += fmt::format("  \"{}\" -> \"{}\";\n", before, after);
  return text + "}\n";
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

cudaError_t cudaGraphGetNodes(cudaGraph_t handle, cudaGraphNode_t* nodes, std::size_t* count) {
  return answer(__func__, [&] {
    Graph& graph = *graph_of(handle).graph;
    list_nodes(graph, nodes, count, [](std::size_t) { return true; });
  });
}
cudaError_t cudaGraphGetRootNodes(cudaGraph_t handle, cudaGraphNode_t* nodes, std::size_t* count) {
  return answer(__func__, [&] {
    Graph& graph = *graph_of(handle).graph;
    list_nodes(graph, nodes, count, [&](std::size_t i) { return graph.nodes[i].after.empty(); });
  });
}
cudaError_t cudaGraphGetEdges(cudaGraph_t handle, cudaGraphNode_t* from, cudaGraphNode_t* to,
                              cudaGraphEdgeData*, std::size_t* count) {
  return answer(__func__, [&] {
    Graph& graph = *graph_of(handle).graph;
    require(count, cudaErrorInvalidValue, msg::pointer_to_number_null());
    const auto edges = edges_of(graph);
    for (std::size_t i = 0; from && to && i < std::min(*count, edges.size()); ++i) {
      from[i] = node_at(graph, edges[i].first);
      to[i] = node_at(graph, edges[i].second);
    }
    *count = edges.size();
  });
}
cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t* nodes, cudaGraphEdgeData*,
                                         std::size_t* count) {
  return answer(__func__, [&] {
    const NodeHandle& handle = node_of(node);
    const std::vector<std::size_t>& after = handle.graph->nodes.at(handle.index).after;
    list_nodes(*handle.graph, nodes, count, [&](std::size_t i) { return std::ranges::count(after, i) > 0; });
  });
}
cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t* nodes, cudaGraphEdgeData*,
                                           std::size_t* count) {
  return answer(__func__, [&] {
    const NodeHandle& handle = node_of(node);
    const std::vector<GraphNode>& all = handle.graph->nodes;
    list_nodes(*handle.graph, nodes, count,
               [&](std::size_t i) { return std::ranges::count(all[i].after, handle.index) > 0; });
  });
}
// Writes the graph in Graphviz's DOT language.
cudaError_t cudaGraphDebugDotPrint(cudaGraph_t handle, const char* path, unsigned) {
  return answer(__func__, [&] {
    const Graph& graph = *graph_of(handle).graph;
    require(path, cudaErrorInvalidValue, msg::pointer_to_name_null());
    std::ofstream file(path);
    file << drawn(graph);
    require(file.flush().good(), cudaErrorOperatingSystem, msg::graph_file_not_writable());
  });
}
cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, cudaGraphNodeType* type) {
  return answer(__func__, [&] {
    require(type, cudaErrorInvalidValue, msg::pointer_null());
    const NodeHandle& handle = node_of(node);
    *type = handle.graph->nodes.at(handle.index).type;
  });
}

}  // extern "C"
#pragma GCC visibility pop

namespace {

void begin_capture(Stream& stream, std::shared_ptr<Graph> into, std::vector<std::size_t> tail) {
  require(stream.number != 0, cudaErrorStreamCaptureUnsupported, msg::capture_of_legacy_stream());
  require(!stream.capture, cudaErrorIllegalState, msg::capture_begun_already());
  stream.capture = std::move(into);
  stream.capture_tail = std::move(tail);
  stream.began_capture = true;
  stream.is_graph_known = false;
}

std::vector<std::size_t> indices_in(const Graph& graph, const cudaGraphNode_t* nodes, std::size_t count) {
  require(nodes || count == 0, cudaErrorInvalidValue, msg::pointer_to_nodes_null());
  std::vector<std::size_t> indices;
  for (std::size_t i = 0; i < count; ++i) indices.push_back(index_in(graph, nodes[i]));
  return indices;
}

// Requires every captured stream to have joined the origin again: its last node must have a successor.
void require_joined(const Stream& origin) {
  for (const Stream* stream : the_runtime().queue.streams()) {
    if (stream == &origin || stream->capture != origin.capture) continue;
    for (const std::size_t node : stream->capture_tail) {
      const auto is_behind = [&](const GraphNode& other) {
        return std::ranges::count(other.after, node) > 0;
      };
      const bool is_joined = std::ranges::count(origin.capture_tail, node) > 0 ||
                             std::ranges::any_of(origin.capture->nodes, is_behind);
      require(is_joined, cudaErrorStreamCaptureUnjoined, msg::capture_stream_not_joined());
    }
  }
}

std::shared_ptr<Graph> end_capture(Stream& stream) {
  require(stream.capture != nullptr, cudaErrorIllegalState, msg::capture_not_begun());
  require(stream.began_capture, cudaErrorStreamCaptureUnmatched, msg::capture_begun_by_other_stream());
  require_joined(stream);
  const std::shared_ptr<Graph> graph = stream.capture;
  for (Stream* other : the_runtime().queue.streams())
    if (other->capture == graph) {
      other->capture.reset();
      other->capture_tail.clear();
      other->began_capture = false;
    }
  return graph;
}

// Handles that the graph and its bodies declare, and handles that their nodes use.
struct Conditions {
  std::set<cudaGraphConditionalHandle> made, used;
};

void collect(const Graph& graph, Conditions& to) {
  for (const auto& [handle, value] : graph.conditions) to.made.insert(handle);
  for (const GraphNode& node : graph.nodes) {
    if (!node.condition) continue;
    to.used.insert(node.condition->handle);
    for (const auto& body : node.condition->bodies) collect(*body, to);
  }
}

// Whether this side of a copy is pageable host memory.
bool is_pageable(const cudaPitchedPtr& side) {
  const auto address = reinterpret_cast<std::uint64_t>(side.ptr);
  return side.ptr && !is_device_address(address) && !the_runtime().memory.find(address);
}

void require_right_body(const Graph& body) {
  constexpr std::array kAllowed{cudaGraphNodeTypeKernel, cudaGraphNodeTypeMemcpy,
                                cudaGraphNodeTypeMemset, cudaGraphNodeTypeGraph,
                                cudaGraphNodeTypeEmpty,  cudaGraphNodeTypeConditional};
  for (const GraphNode& node : body.nodes) {
    require(std::ranges::count(kAllowed, node.type) > 0, cudaErrorInvalidValue,
            msg::conditional_body_node_impossible());
    if (node.type == cudaGraphNodeTypeMemcpy && node.job.as_node) {
      const cudaMemcpy3DParms copy = node.job.as_node().memcpy.copyParams;
      require(!is_pageable(copy.srcPtr) && !is_pageable(copy.dstPtr), cudaErrorInvalidValue,
              msg::conditional_body_copy_pageable());
    }
    if (node.child) require_right_body(*node.child);
    if (node.condition)
      for (const auto& inner : node.condition->bodies) require_right_body(*inner);
  }
}

// Throws Failure, and sets `result` to the reason.
void require_usable_conditions(const Graph& graph, cudaGraphInstantiateResult& result) {
  Conditions found;
  collect(graph, found);
  if (found.made.empty() && found.used.empty()) return;
  result = cudaGraphInstantiateConditionalHandleUnused;
  require(std::ranges::includes(found.used, found.made), cudaErrorInvalidValue,
          msg::conditional_handle_unused());
  result = cudaGraphInstantiateError;
  require(graph.instance.expired(), cudaErrorNotSupported, msg::graph_conditional_instantiated());
  for (const GraphNode& node : graph.nodes)
    if (node.condition)
      for (const auto& body : node.condition->bodies) require_right_body(*body);
  result = cudaGraphInstantiateSuccess;
}

cudaError_t instantiate(const char* call, cudaGraphExec_t* exec, cudaGraph_t graph, unsigned long long flags,
                        cudaGraphInstantiateParams* params = nullptr) {
  return answer(call, [&] {
    require(exec, cudaErrorInvalidValue, msg::pointer_to_graph_null());
    cudaGraphInstantiateResult unread;
    Graph& from = *graph_of(graph).graph;
    require_usable_conditions(from, params ? params->result_out : unread);
    const std::shared_ptr<Graph> made = instance_of(from);
    made->frees_on_launch = (flags & cudaGraphInstantiateFlagAutoFreeOnLaunch) != 0;
    from.instance = made;
    *exec = reinterpret_cast<cudaGraphExec_t>(new_graph(made));
  });
}

// The first difference that prevents an update of an instance from another graph.
struct Difference {
  cudaGraphExecUpdateResult result = cudaGraphExecUpdateSuccess;
  std::size_t node = SIZE_MAX;
};

Difference first_difference(const Graph& to, const Graph& from) {
  if (to.nodes.size() != from.nodes.size()) return {cudaGraphExecUpdateErrorTopologyChanged};
  for (std::size_t i = 0; i < to.nodes.size(); ++i) {
    if (to.nodes[i].type != from.nodes[i].type) return {cudaGraphExecUpdateErrorNodeTypeChanged, i};
    if (to.nodes[i].after != from.nodes[i].after) return {cudaGraphExecUpdateErrorTopologyChanged, i};
  }
  return {};
}

// Replaces the nodes of the instance. Disabled nodes stay disabled.
void take_over(Graph& to, const Graph& from) {
  const Graph before = std::exchange(to, *instance_of(from));
  keep_origins(to, before);
  for (std::size_t i = 0; i < to.nodes.size(); ++i) to.nodes[i].is_enabled = before.nodes[i].is_enabled;
}

// The output parameters of the functions that query a stream's capture. The array that `after` points to is
// valid until the thread's next query.
struct CaptureAnswer {
  unsigned long long* id;
  cudaGraph_t* graph;
  const cudaGraphNode_t** after;
  const cudaGraphEdgeData** edges;
  std::size_t* count;
};

void tell_of_capture(const Stream& stream, const CaptureAnswer& told) {
  thread_local std::vector<cudaGraphNode_t> after;
  thread_local std::vector<cudaGraphEdgeData> edges;
  after.clear();
  for (const std::size_t node : stream.capture_tail) after.push_back(node_at(*stream.capture, node));
  edges.assign(after.size(), {});
  if (told.id) *told.id = reinterpret_cast<std::uintptr_t>(stream.capture.get());
  if (told.graph) *told.graph = reinterpret_cast<cudaGraph_t>(handle_of(stream.capture));
  if (told.after) *told.after = after.data();
  if (told.edges) *told.edges = edges.data();
  if (told.count) *told.count = after.size();
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode) {
  return answer(__func__, [&] { begin_capture(stream_of(stream), std::make_shared<Graph>(), {}); });
}
cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t handle,
                                          const cudaGraphNode_t* after, const cudaGraphEdgeData*,
                                          std::size_t count, cudaStreamCaptureMode) {
  return answer(__func__, [&] {
    const std::shared_ptr<Graph>& graph = graph_of(handle).graph;
    begin_capture(stream_of(stream), graph, indices_in(*graph, after, count));
    stream_of(stream).is_graph_known = true;
  });
}
// Replaces or extends the set of nodes that the stream's next captured node depends on.
cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t handle, cudaGraphNode_t* nodes,
                                                const cudaGraphEdgeData*, std::size_t count, unsigned flags) {
  return answer(__func__, [&] {
    Stream& stream = stream_of(handle);
    require(stream.capture != nullptr, cudaErrorIllegalState, msg::capture_not_begun());
    require(flags == cudaStreamAddCaptureDependencies || flags == cudaStreamSetCaptureDependencies,
            cudaErrorInvalidValue, msg::flag_unknown());
    std::vector<std::size_t> tail = indices_in(*stream.capture, nodes, count);
    if (flags == cudaStreamAddCaptureDependencies)
      tail.insert(tail.end(), stream.capture_tail.begin(), stream.capture_tail.end());
    stream.capture_tail = std::move(tail);
  });
}
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  return answer(__func__, [&] {
    Stream& captured = stream_of(stream);
    require(graph || captured.is_graph_known, cudaErrorInvalidValue, msg::pointer_to_graph_null());
    if (graph) *graph = nullptr;
    GraphHandle* const made = handle_of(end_capture(captured));
    if (graph) *graph = reinterpret_cast<cudaGraph_t>(made);
  });
}
cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
  return answer(__func__, [&] {
    require(status, cudaErrorInvalidValue, msg::pointer_to_status_null());
    *status = stream_of(stream).capture ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone;
  });
}
cudaError_t cudaStreamGetCaptureInfo(cudaStream_t handle, cudaStreamCaptureStatus* status,
                                     unsigned long long* id, cudaGraph_t* graph,
                                     const cudaGraphNode_t** after, const cudaGraphEdgeData** edges,
                                     std::size_t* count) {
  return answer(__func__, [&] {
    require(status, cudaErrorInvalidValue, msg::pointer_to_status_null());
    const Stream& stream = stream_of(handle);
    *status = stream.capture ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone;
    if (stream.capture) tell_of_capture(stream, {id, graph, after, edges, count});
  });
}
// No call is forbidden during capture here, so the mode is only stored and returned.
cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
  return answer(__func__, [&] {
    thread_local cudaStreamCaptureMode kept = cudaStreamCaptureModeGlobal;
    require(mode, cudaErrorInvalidValue, msg::pointer_null());
    std::swap(*mode, kept);
  });
}

cudaError_t cudaGraphCreate(cudaGraph_t* graph, unsigned flags) {
  return answer(__func__, [&] {
    require(graph && flags == 0, cudaErrorInvalidValue, msg::pointer_to_graph_null_or_flags());
    *graph = reinterpret_cast<cudaGraph_t>(new_graph(std::make_shared<Graph>()));
  });
}
// With cudaGraphCondAssignDefault, the handle has this value at the beginning of every launch; without it,
// the value that kernels left.
cudaError_t cudaGraphConditionalHandleCreate(cudaGraphConditionalHandle* handle, cudaGraph_t graph,
                                             unsigned value, unsigned flags) {
  return answer(__func__, [&] {
    require(handle, cudaErrorInvalidValue, msg::pointer_to_handle_null());
    require(flags == 0 || flags == cudaGraphCondAssignDefault, cudaErrorInvalidValue, msg::flag_unknown());
    Graph& owner = *graph_of(graph).graph;
    *handle = the_runtime().conditions.add(value);
    owner.conditions[*handle] = flags ? std::optional(value) : std::nullopt;
  });
}
cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  return answer(__func__, [&] { destroy_graph(graph); });
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t graph) {
  return answer(__func__, [&] { destroy_graph(graph); });
}
cudaError_t cudaGraphClone(cudaGraph_t* clone, cudaGraph_t graph) {
  return answer(__func__, [&] {
    require(clone, cudaErrorInvalidValue, msg::pointer_to_graph_null());
    const Graph& original = *graph_of(graph).graph;
    require(!original.has_conditions(), cudaErrorNotSupported, msg::graph_conditional_not_clonable());
    *clone = reinterpret_cast<cudaGraph_t>(new_graph(instance_of(original)));
  });
}
cudaError_t cudaGraphInstantiate(cudaGraphExec_t* exec, cudaGraph_t graph, unsigned long long flags) {
  return instantiate(__func__, exec, graph, flags);
}
cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* exec, cudaGraph_t graph,
                                          unsigned long long flags) {
  return instantiate(__func__, exec, graph, flags);
}
cudaError_t cudaGraphLaunch(cudaGraphExec_t graph, cudaStream_t stream) {
  return answer(__func__, [&] { run_graph(*graph_of(graph).graph, stream_of(stream)); });
}
cudaError_t cudaGraphUpload(cudaGraphExec_t graph, cudaStream_t stream) {
  return answer(__func__, [&] {
    graph_of(graph);
    stream_of(stream);
  });
}
cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph,
                                cudaGraphExecUpdateResultInfo* info) {
  return answer(__func__, [&] {
    Graph &to = *graph_of(exec).graph, &from = *graph_of(graph).graph;
    const Difference found = first_difference(to, from);
    if (info) {
      *info = {};
      info->result = found.result;
      if (found.node < from.nodes.size()) info->errorNode = node_at(from, found.node);
    }
    require(found.result == cudaGraphExecUpdateSuccess, cudaErrorGraphExecUpdateFailure,
            msg::graph_update_of_other_shape());
    take_over(to, from);
  });
}
cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t* exec, cudaGraph_t graph,
                                           cudaGraphInstantiateParams* params) {
  if (params) params->result_out = cudaGraphInstantiateSuccess;
  return instantiate(__func__, exec, graph, params ? params->flags : 0, params);
}
cudaError_t cudaDeviceGraphMemTrim(int device) {
  return answer(__func__, [&] { the_runtime().memory.trim_graph_bytes(device); });
}
cudaError_t cudaDeviceGetGraphMemAttribute(int device, cudaGraphMemAttributeType attribute, void* value) {
  return answer(__func__, [&] {
    require(value, cudaErrorInvalidValue, msg::pointer_null());
    Memory& memory = the_runtime().memory;
    auto& bytes = *static_cast<std::uint64_t*>(value);
    switch (attribute) {
      case cudaGraphMemAttrUsedMemCurrent:
      case cudaGraphMemAttrReservedMemCurrent: bytes = memory.graph_bytes(device); return;
      case cudaGraphMemAttrUsedMemHigh: bytes = memory.most_graph_bytes(device).used; return;
      case cudaGraphMemAttrReservedMemHigh: bytes = memory.most_graph_bytes(device).reserved; return;
    }
    throw Failure{cudaErrorInvalidValue, {}};
  });
}
// Only the high-water marks can be set, and only to 0: they restart from the current use.
cudaError_t cudaDeviceSetGraphMemAttribute(int device, cudaGraphMemAttributeType attribute, void* value) {
  return answer(__func__, [&] {
    const bool is_used = attribute == cudaGraphMemAttrUsedMemHigh;
    require(value && *static_cast<std::uint64_t*>(value) == 0 &&
                (is_used || attribute == cudaGraphMemAttrReservedMemHigh),
            cudaErrorInvalidValue, {});
    Memory& memory = the_runtime().memory;
    Memory::MostGraphBytes& most = memory.most_graph_bytes(device);
    (is_used ? most.used : most.reserved) = memory.graph_bytes(device);
  });
}
}  // extern "C"
#pragma GCC visibility pop
