// What a program sees of its graphs: nodes, edges, types, a drawing.
#include <algorithm>
#include <fstream>
#include <utility>

#include "runtime/api/graph_handles.h"
#include "runtime/call.h"

using namespace cudalab;
using namespace cudalab::runtime;

namespace {

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

}  // extern "C"
#pragma GCC visibility pop
