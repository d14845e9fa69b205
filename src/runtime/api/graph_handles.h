// Handles of graphs and their nodes, and the work that a node's parameters describe.
#pragma once

#include <cuda_runtime_api.h>

#include <memory>
#include <utility>
#include <vector>

#include "runtime/streams/graph.h"

namespace cudalab::runtime {

// Sets what the node does from `params`; its edges stay. For memory and conditional nodes, writes the results
// (an address, the bodies) into `params`. `call` is the function that errors name. Throws Failure with the
// code that CUDA returns.
void fill_node(const char* call, Graph& owner, GraphNode& node, cudaGraphNodeParams& params);

// A handle of a graph (cudaGraph_t) or of an instance (cudaGraphExec_t).
struct GraphHandle {
  std::shared_ptr<Graph> graph;
};
struct NodeHandle {
  Graph* graph;
  std::size_t index;
  GraphNode& node() const { return graph->nodes.at(index); }
};

// Throw Failure(cudaErrorInvalidValue) if the handle is unknown.
GraphHandle& graph_of(const void* handle);
const NodeHandle& node_of(cudaGraphNode_t node);
std::size_t index_in(const Graph& graph, cudaGraphNode_t node);
// The node of the instance that was made from `node` of the graph.
GraphNode& node_in(cudaGraphExec_t exec, cudaGraphNode_t node);

// Returns the node's handle, which stays the same until the process ends.
cudaGraphNode_t node_at(Graph& graph, std::size_t index);
// The existing handle of the graph; null if it has none.
GraphHandle* handle_of(const std::shared_ptr<Graph>& graph);
GraphHandle* new_graph(std::shared_ptr<Graph> graph);
void destroy_graph(const void* handle);

}  // namespace cudalab::runtime
