#include "runtime/api/graph_handles.h"

#include <algorithm>
#include <map>
#include <set>

#include "runtime/failure.h"

namespace cudalab::runtime {
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
  require(graphs().contains(graph), cudaErrorInvalidValue, "this is no graph, or one that was destroyed");
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
  require(node, cudaErrorInvalidValue, "a pointer is null");
  return *reinterpret_cast<const NodeHandle*>(node);
}

std::size_t index_in(const Graph& graph, cudaGraphNode_t node) {
  require(node && node_of(node).graph == &graph, cudaErrorInvalidValue, "the node is none of the graph");
  return node_of(node).index;
}

GraphNode& node_in(cudaGraphExec_t exec, cudaGraphNode_t node) {
  Graph& whole = *graph_of(exec).graph;
  const NodeHandle& handle = node_of(node);
  Graph* const inner = find_in(whole, *handle.graph);
  Graph& graph = inner ? *inner : whole;
  require(handle.index < graph.nodes.size(), cudaErrorInvalidValue, "the node is none of the graph");
  return graph.nodes[handle.index];
}

}  // namespace cudalab::runtime
