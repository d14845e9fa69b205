// Handles of graphs and their nodes, and the work that a node's parameters describe.
#include "runtime/api/graph_handles.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "messages/runtime.h"
#include "runtime/arrays.h"
#include "runtime/call.h"
#include "runtime/copies.h"
#include "runtime/memory.h"
#include "runtime/streams/launching.h"

namespace cudalab::runtime {
namespace {

Event& event_behind(cudaEvent_t handle) {
  auto* event = reinterpret_cast<Event*>(handle);
  require(handle && the_runtime().events.contains(event), cudaErrorInvalidResourceHandle,
          msg::event_destroyed());
  return *event;
}

// Obtains the job of an API call by running the call on a capturing stream, where it executes nothing.
Job job_of(const std::function<void(Stream&)>& call) {
  Stream scratch;
  scratch.device = this_thread().device;
  scratch.capture = std::make_shared<Graph>();
  call(scratch);
  return scratch.capture->nodes.empty() ? Job{} : scratch.capture->nodes.back().job;
}

Job kernel_node_job(const cudaKernelNodeParamsV2& params) {
  require(params.func && (params.kernelParams || params.extra == nullptr), cudaErrorInvalidValue,
          msg::node_without_kernel());
  KernelLaunch shape;
  shape.spec = {.grid = {params.gridDim.x, params.gridDim.y, params.gridDim.z},
                .block = {params.blockDim.x, params.blockDim.y, params.blockDim.z},
                .dynamic_shared_bytes = params.sharedMemBytes};
  return kernel_job(the_runtime().modules.kernel_of(params.func), shape, params.kernelParams,
                    this_thread().device);
}

Job copy_node_job(const char* call, const cudaMemcpy3DParms& params) {
  return job_of([&](Stream& stream) { copy(call, box_of(params), params.kind, stream, false); });
}

Job memset_node_job(const char* call, const cudaMemsetParamsV2& params) {
  require(params.elementSize == 1 || params.elementSize == 2 || params.elementSize == 4,
          cudaErrorInvalidValue, msg::fill_element_size_impossible());
  const Side to{reinterpret_cast<std::uint64_t>(params.dst), params.pitch, params.pitch * params.height,
                false};
  return job_of([&](Stream& stream) {
    fill(call, to, params.width * params.elementSize, params.height, 1, {params.value, params.elementSize},
         stream, false);
  });
}

Job host_node_job(const cudaHostNodeParamsV2& params) {
  require(params.fn, cudaErrorInvalidValue, msg::node_without_function());
  return {.name = "a function of the host", .engine = Engine::kNone, .run = [host = params] {
            host.fn(host.userData);
            return Outcome{};
          }};
}

std::shared_ptr<Graph> child_of(const Graph& parent, cudaGraph_t child) {
  const Graph& inner = *graph_of(child).graph;
  require(&inner != &parent, cudaErrorInvalidValue, msg::graph_in_itself());
  require(!inner.has_conditions(), cudaErrorNotSupported, msg::graph_conditional_as_node());
  return instance_of(inner);
}

void* add_memory(Graph& owner, const cudaMemAllocNodeParamsV2& params) {
  require(params.bytesize > 0, cudaErrorInvalidValue, msg::allocation_of_zero_bytes());
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

// The node owns the bodies: empty graphs, which the program fills.
void add_condition(GraphNode& node, cudaConditionalNodeParams& params) {
  static std::set<cudaGraphConditionalHandle> used;
  require(the_runtime().conditions.value(params.handle).has_value(), cudaErrorInvalidValue,
          msg::conditional_handle_unknown());
  require(is_size_right(params), cudaErrorInvalidValue, msg::conditional_body_count_impossible());
  require(used.insert(params.handle).second, cudaErrorInvalidValue, msg::conditional_handle_taken());
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

}  // namespace

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
    // Freeing has no effect here: the memory keeps its address until the graph is destroyed.
    case cudaGraphNodeTypeMemFree:
      require(owner.owns(reinterpret_cast<std::uint64_t>(params.free.dptr)), cudaErrorInvalidValue,
              msg::pointer_not_of_graph());
      owner.freed.insert(reinterpret_cast<std::uint64_t>(params.free.dptr));
      break;
    default: throw Failure{cudaErrorNotSupported, msg::node_type_missing()};
  }
  // Queries return a kernel's copied arguments, and for other nodes the parameters that the program passed.
  if (params.type != cudaGraphNodeTypeKernel) node.job.as_node = [params] { return params; };
}

namespace {

std::set<GraphHandle*>& graphs() {
  static std::set<GraphHandle*> known;
  return known;
}

}  // namespace

cudaGraphNode_t node_at(Graph& graph, std::size_t index) {
  static std::map<std::pair<Graph*, std::size_t>, NodeHandle> known;
  NodeHandle& handle = known.try_emplace({&graph, index}, NodeHandle{&graph, index}).first->second;
  return reinterpret_cast<cudaGraphNode_t>(&handle);
}

GraphHandle& graph_of(const void* handle) {
  auto* graph = static_cast<GraphHandle*>(const_cast<void*>(handle));
  require(graphs().contains(graph), cudaErrorInvalidValue, msg::graph_destroyed());
  return *graph;
}

GraphHandle* handle_of(const std::shared_ptr<Graph>& graph) {
  const auto found =
      std::ranges::find_if(graphs(), [&](const GraphHandle* handle) { return handle->graph == graph; });
  return found != graphs().end() ? *found : new_graph(graph);
}

GraphHandle* new_graph(std::shared_ptr<Graph> graph) {
  return *graphs().insert(new GraphHandle{std::move(graph)}).first;
}

void destroy_graph(const void* handle) {
  GraphHandle& graph = graph_of(handle);
  graphs().erase(&graph);
  delete &graph;
}

const NodeHandle& node_of(cudaGraphNode_t node) {
  require(node, cudaErrorInvalidValue, msg::pointer_null());
  return *reinterpret_cast<const NodeHandle*>(node);
}

std::size_t index_in(const Graph& graph, cudaGraphNode_t node) {
  require(node && node_of(node).graph == &graph, cudaErrorInvalidValue, msg::node_not_of_graph());
  return node_of(node).index;
}

GraphNode& node_in(cudaGraphExec_t exec, cudaGraphNode_t node) {
  Graph& whole = *graph_of(exec).graph;
  const NodeHandle& handle = node_of(node);
  Graph* const inner = find_in(whole, *handle.graph);
  Graph& graph = inner ? *inner : whole;
  require(handle.index < graph.nodes.size(), cudaErrorInvalidValue, msg::node_not_of_graph());
  return graph.nodes[handle.index];
}

}  // namespace cudalab::runtime
