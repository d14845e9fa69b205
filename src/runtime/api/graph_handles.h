// Handles of graphs and their nodes, and the work that a node's parameters describe.
#pragma once

#include <cuda_runtime_api.h>

#include <memory>
#include <utility>
#include <vector>

#include "runtime/streams/graph.h"

namespace cudalab::runtime {

// What a node of a graph does, made from the parameters that a program gives it.

// What the node does from now on; its place in the graph stays. Of memory and of conditional nodes the
// parameters are told what was made: an address, the bodies. `call`: whose name errors bear.
// Throws Failure with the code that a card answers with.
void fill_node(const char* call, Graph& owner, GraphNode& node, cudaGraphNodeParams& params);

// What the handles of graphs and of their nodes stand for.

// Of a graph, or of what was instantiated from one.
struct GraphHandle {
  std::shared_ptr<Graph> graph;
};
struct NodeHandle {
  Graph* graph;
  std::size_t index;
  GraphNode& node() const { return graph->nodes.at(index); }
};

// Throw Failure(cudaErrorInvalidValue) for what is none.
GraphHandle& graph_of(const void* handle);
const NodeHandle& node_of(cudaGraphNode_t node);
std::size_t index_in(const Graph& graph, cudaGraphNode_t node);
// The node of what was instantiated from the graph that the node is of.
GraphNode& node_in(cudaGraphExec_t exec, cudaGraphNode_t node);

// A node has one handle, as long as the process lives.
cudaGraphNode_t node_at(Graph& graph, std::size_t index);
// Of a graph there may be one already.
GraphHandle* handle_of(const std::shared_ptr<Graph>& graph);
GraphHandle* new_graph(std::shared_ptr<Graph> graph);
void destroy_graph(const void* handle);

}  // namespace cudalab::runtime
