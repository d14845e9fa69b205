// Graphs: capturing streams, building by hand, instantiating, launching.
#include <algorithm>
#include <fstream>
#include <map>
#include <set>
#include <utility>

#include "runtime/arrays.h"
#include "runtime/call.h"
#include "runtime/copies.h"
#include "runtime/streams/graph.h"
#include "runtime/streams/launching.h"

using namespace cudalab;
using namespace cudalab::runtime;

namespace {

// What the handles of the API stand for.
struct GraphHandle {
  std::shared_ptr<Graph> graph;
};
struct NodeHandle {
  Graph* graph;
  std::size_t index;
};

std::set<GraphHandle*>& graphs() {
  static std::set<GraphHandle*> known;
  return known;
}
// Of graphs and of what was instantiated from them; a node has one handle, as long as the process lives.
cudaGraphNode_t node_at(Graph& graph, std::size_t index) {
  static std::map<std::pair<Graph*, std::size_t>, NodeHandle> known;
  NodeHandle& handle = known.try_emplace({&graph, index}, NodeHandle{&graph, index}).first->second;
  return reinterpret_cast<cudaGraphNode_t>(&handle);
}

GraphHandle& graph_of(const void* handle) {
  auto* graph = static_cast<GraphHandle*>(const_cast<void*>(handle));
  require(graphs().contains(graph), cudaErrorInvalidValue, "this is no graph, or one that was destroyed");
  return *graph;
}

// Of a graph that streams are captured into there may be one already.
GraphHandle* handle_of(const std::shared_ptr<Graph>& graph) {
  const auto found =
      std::ranges::find_if(graphs(), [&](const GraphHandle* handle) { return handle->graph == graph; });
  if (found != graphs().end()) return *found;
  return *graphs().insert(new GraphHandle{graph}).first;
}

GraphHandle* new_graph(std::shared_ptr<Graph> graph) {
  auto* handle = new GraphHandle{std::move(graph)};
  graphs().insert(handle);
  return handle;
}

void destroy_graph(const void* handle) {
  GraphHandle& graph = graph_of(handle);
  graphs().erase(&graph);
  delete &graph;
}

void begin_capture(Stream& stream) {
  require(stream.number != 0, cudaErrorStreamCaptureUnsupported, "the legacy stream cannot be captured");
  require(!stream.capture, cudaErrorIllegalState, "the stream is being captured already");
  stream.capture = std::make_shared<Graph>();
  stream.capture_tail.clear();
  stream.began_capture = true;
}

// Streams that joined must have been joined back: their last node has another behind it.
void require_joined(const Stream& origin) {
  for (const Stream* stream : the_runtime().queue.streams()) {
    if (stream == &origin || stream->capture != origin.capture) continue;
    for (const std::size_t node : stream->capture_tail) {
      const auto is_behind = [&](const GraphNode& other) {
        return std::ranges::count(other.after, node) > 0;
      };
      const bool is_joined = std::ranges::count(origin.capture_tail, node) > 0 ||
                             std::ranges::any_of(origin.capture->nodes, is_behind);
      require(is_joined, cudaErrorStreamCaptureUnjoined,
              "a stream that joined the capture was not waited for by the stream that began it");
    }
  }
}

std::shared_ptr<Graph> end_capture(Stream& stream) {
  require(stream.capture != nullptr, cudaErrorIllegalState, "the stream is not being captured");
  require(stream.began_capture, cudaErrorStreamCaptureUnmatched, "another stream began the capture");
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

std::size_t index_in(const Graph& graph, cudaGraphNode_t handle) {
  const auto* node = reinterpret_cast<const NodeHandle*>(handle);
  require(node && node->graph == &graph, cudaErrorInvalidValue, "the node is none of the graph");
  return node->index;
}

// Where a node is to stand, as the functions that add one are told.
struct NodePlace {
  cudaGraphNode_t* node;
  cudaGraph_t graph;
  const cudaGraphNode_t* after;
  std::size_t count;
};

cudaError_t add_filled_node(const char* call, const NodePlace& place, cudaGraphNodeType type,
                            const std::function<void(Graph&, GraphNode&)>& fill) {
  return answer(call, [&] {
    Graph& graph = *graph_of(place.graph).graph;
    require(place.node, cudaErrorInvalidValue, "the pointer to the node is null");
    GraphNode made;
    made.type = type;
    for (std::size_t i = 0; i < place.count; ++i) made.after.push_back(index_in(graph, place.after[i]));
    fill(graph, made);
    graph.nodes.push_back(std::move(made));
    *place.node = node_at(graph, graph.nodes.size() - 1);
  });
}

cudaError_t add_node(const char* call, cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                     std::size_t count, cudaGraphNodeType type, const std::function<Job()>& make_job) {
  return add_filled_node(call, {node, graph, after, count}, type,
                         [&](Graph&, GraphNode& made) { made.job = make_job(); });
}

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

Job kernel_node_job(const cudaKernelNodeParams& params) {
  KernelLaunch shape;
  shape.grid = {params.gridDim.x, params.gridDim.y, params.gridDim.z};
  shape.block = {params.blockDim.x, params.blockDim.y, params.blockDim.z};
  shape.shared_bytes = params.sharedMemBytes;
  return kernel_job(the_runtime().modules.kernel_of(params.func), shape, params.kernelParams,
                    this_thread().device, 0);
}

void replace_job(Graph& graph, std::size_t index, Job job) {
  require(index < graph.nodes.size(), cudaErrorInvalidValue, "the node is none of the graph");
  graph.nodes[index].job = std::move(job);
}

cudaError_t instantiate(const char* call, cudaGraphExec_t* exec, cudaGraph_t graph) {
  return answer(call, [&] {
    require(exec, cudaErrorInvalidValue, "the pointer to the graph is null");
    *exec = reinterpret_cast<cudaGraphExec_t>(new_graph(std::make_shared<Graph>(*graph_of(graph).graph)));
  });
}

const NodeHandle& node_of(cudaGraphNode_t node) {
  require(node, cudaErrorInvalidValue, "a pointer is null");
  return *reinterpret_cast<const NodeHandle*>(node);
}

// Of indices: what comes first, and what behind it.
std::vector<std::pair<std::size_t, std::size_t>> edges_of(const Graph& graph) {
  std::vector<std::pair<std::size_t, std::size_t>> edges;
  for (std::size_t i = 0; i < graph.nodes.size(); ++i)
    for (const std::size_t before : graph.nodes[i].after) edges.emplace_back(before, i);
  return edges;
}

// As many as there is room for; `count` is how many there are.
template <class Holds>
void list_nodes(Graph& graph, cudaGraphNode_t* nodes, std::size_t* count, const Holds& holds) {
  require(count, cudaErrorInvalidValue, "the pointer to the number is null");
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

// What a stream's capture has come to. What it points to stands until the thread asks again.
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
  return answer(__func__, [&] { begin_capture(stream_of(stream)); });
}
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  return answer(__func__, [&] {
    require(graph, cudaErrorInvalidValue, "the pointer to the graph is null");
    *graph = nullptr;
    *graph = reinterpret_cast<cudaGraph_t>(handle_of(end_capture(stream_of(stream))));
  });
}
cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
  return answer(__func__, [&] {
    require(status, cudaErrorInvalidValue, "the pointer to the status is null");
    *status = stream_of(stream).capture ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone;
  });
}
cudaError_t cudaStreamGetCaptureInfo(cudaStream_t handle, cudaStreamCaptureStatus* status,
                                     unsigned long long* id, cudaGraph_t* graph,
                                     const cudaGraphNode_t** after, const cudaGraphEdgeData** edges,
                                     std::size_t* count) {
  return answer(__func__, [&] {
    require(status, cudaErrorInvalidValue, "the pointer to the status is null");
    const Stream& stream = stream_of(handle);
    *status = stream.capture ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone;
    if (stream.capture) tell_of_capture(stream, {id, graph, after, edges, count});
  });
}
// Which calls a capture forbids: none is forbidden here, so that the mode is only told again.
cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
  return answer(__func__, [&] {
    thread_local cudaStreamCaptureMode kept = cudaStreamCaptureModeGlobal;
    require(mode, cudaErrorInvalidValue, "a pointer is null");
    std::swap(*mode, kept);
  });
}

cudaError_t cudaGraphCreate(cudaGraph_t* graph, unsigned flags) {
  return answer(__func__, [&] {
    require(graph && flags == 0, cudaErrorInvalidValue,
            "the pointer to the graph is null, or the flags are not 0");
    *graph = reinterpret_cast<cudaGraph_t>(new_graph(std::make_shared<Graph>()));
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
    require(clone, cudaErrorInvalidValue, "the pointer to the graph is null");
    *clone = reinterpret_cast<cudaGraph_t>(new_graph(std::make_shared<Graph>(*graph_of(graph).graph)));
  });
}
cudaError_t cudaGraphInstantiate(cudaGraphExec_t* exec, cudaGraph_t graph, unsigned long long) {
  return instantiate(__func__, exec, graph);
}
cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* exec, cudaGraph_t graph, unsigned long long) {
  return instantiate(__func__, exec, graph);
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
    const bool is_same = to.nodes.size() == from.nodes.size();
    if (info) info->result = is_same ? cudaGraphExecUpdateSuccess : cudaGraphExecUpdateErrorTopologyChanged;
    require(is_same, cudaErrorGraphExecUpdateFailure,
            "the graph has other nodes than the one that is updated");
    to = from;
  });
}
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
    require(count, cudaErrorInvalidValue, "the pointer to the number is null");
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
// In the language of Graphviz.
cudaError_t cudaGraphDebugDotPrint(cudaGraph_t handle, const char* path, unsigned) {
  return answer(__func__, [&] {
    const Graph& graph = *graph_of(handle).graph;
    require(path, cudaErrorInvalidValue, "the pointer to the name is null");
    std::ofstream file(path);
    file << drawn(graph);
    require(file.flush().good(), cudaErrorOperatingSystem, "the file cannot be written");
  });
}
cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, cudaGraphNodeType* type) {
  return answer(__func__, [&] {
    require(type, cudaErrorInvalidValue, "a pointer is null");
    const NodeHandle& handle = node_of(node);
    *type = handle.graph->nodes.at(handle.index).type;
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

cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                                  std::size_t count) {
  return add_node(__func__, node, graph, after, count, cudaGraphNodeTypeEmpty, [] { return Job{}; });
}
cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                                   std::size_t count, const cudaKernelNodeParams* params) {
  return add_node(__func__, node, graph, after, count, cudaGraphNodeTypeKernel,
                  [&] { return kernel_node_job(*params); });
}
cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                                     std::size_t count, void* to, const void* from, std::size_t bytes,
                                     cudaMemcpyKind kind) {
  return add_node(__func__, node, graph, after, count, cudaGraphNodeTypeMemcpy, [&] {
    return job_of([&](Stream& stream) {
      copy("cudaGraphAddMemcpyNode1D", line(to, from, bytes), kind, stream, false);
    });
  });
}
cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                                   std::size_t count, const cudaMemcpy3DParms* params) {
  return add_node(__func__, node, graph, after, count, cudaGraphNodeTypeMemcpy, [&] {
    return job_of([&](Stream& stream) {
      copy("cudaGraphAddMemcpyNode", box_of(*params), params->kind, stream, false);
    });
  });
}
cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                                   std::size_t count, const cudaMemsetParams* params) {
  return add_node(__func__, node, graph, after, count, cudaGraphNodeTypeMemset, [&] {
    return job_of([&](Stream& stream) {
      const Side to{reinterpret_cast<std::uint64_t>(params->dst), params->pitch,
                    params->pitch * params->height, false};
      fill("cudaGraphAddMemsetNode", to, params->width * params->elementSize, params->height, 1,
           {params->value, params->elementSize}, stream, false);
    });
  });
}
cudaError_t cudaGraphAddHostNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                                 std::size_t count, const cudaHostNodeParams* params) {
  return add_node(__func__, node, graph, after, count, cudaGraphNodeTypeHost, [&] {
    return Job{.name = "a function of the host", .engine = Engine::kNone, .run = [host = *params] {
                 host.fn(host.userData);
                 return Outcome{};
               }};
  });
}
cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                                       std::size_t count, cudaGraph_t child) {
  return add_filled_node(__func__, {node, graph, after, count}, cudaGraphNodeTypeGraph,
                         [&](Graph& parent, GraphNode& made) {
                           const Graph& inner = *graph_of(child).graph;
                           require(&inner != &parent, cudaErrorInvalidValue, "a graph cannot hold itself");
                           made.child = std::make_shared<const Graph>(inner);
                         });
}
cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                        const cudaGraphNode_t* after, std::size_t count, cudaEvent_t event) {
  return add_filled_node(__func__, {node, graph, after, count}, cudaGraphNodeTypeEventRecord,
                         [&](Graph&, GraphNode& made) { made.records = &event_behind(event); });
}
cudaError_t cudaGraphAddEventWaitNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                                      std::size_t count, cudaEvent_t event) {
  return add_filled_node(__func__, {node, graph, after, count}, cudaGraphNodeTypeWaitEvent,
                         [&](Graph&, GraphNode& made) { made.waits_for = &event_behind(event); });
}
cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                                     std::size_t count, cudaMemAllocNodeParams* params) {
  return add_filled_node(__func__, {node, graph, after, count}, cudaGraphNodeTypeMemAlloc,
                         [&](Graph& owner, GraphNode&) {
                           require(params && params->bytesize > 0, cudaErrorInvalidValue,
                                   "the parameters are null, or of 0 bytes");
                           owner.memory.push_back(std::make_shared<const GraphMemory>(
                               "cudaGraphAddMemAllocNode", params->bytesize, this_thread().device));
                           params->dptr = reinterpret_cast<void*>(owner.memory.back()->address());
                         });
}
// The memory keeps its address, and is given back with the graph.
cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                                    std::size_t count, void* memory) {
  return add_filled_node(__func__, {node, graph, after, count}, cudaGraphNodeTypeMemFree,
                         [&](Graph& owner, GraphNode&) {
                           require(owner.owns(reinterpret_cast<std::uint64_t>(memory)), cudaErrorInvalidValue,
                                   "the pointer leads to no memory of the graph");
                         });
}
cudaError_t cudaDeviceGraphMemTrim(int) {
  return answer(__func__, [] {});
}
cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const cudaKernelNodeParams* params) {
  return answer(__func__, [&] {
    require(node && params, cudaErrorInvalidValue, "a pointer is null");
    replace_job(*graph_of(exec).graph, reinterpret_cast<const NodeHandle*>(node)->index,
                kernel_node_job(*params));
  });
}
cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node, const cudaKernelNodeParams* params) {
  return answer(__func__, [&] {
    require(node && params, cudaErrorInvalidValue, "a pointer is null");
    const auto& handle = *reinterpret_cast<const NodeHandle*>(node);
    replace_job(*handle.graph, handle.index, kernel_node_job(*params));
  });
}

}  // extern "C"
#pragma GCC visibility pop
