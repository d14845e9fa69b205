// Graphs: jobs and what each comes behind, made by hand or by capturing streams.
#pragma once

#include <cuda_runtime_api.h>

#include <memory>
#include <vector>

#include "runtime/streams/queue.h"

namespace cudalab::runtime {

struct GraphNode {
  Job job;
  std::vector<std::size_t> after;  // nodes before it in the list
  cudaGraphNodeType type = cudaGraphNodeTypeEmpty;
  bool is_removed = false;
};

struct Graph {
  std::vector<GraphNode> nodes;
};

// Appends to the graph that the stream is captured into.
void capture(Stream& stream, Job job);
// Queues every node once; what comes next on the stream comes behind all of them.
void run_graph(const Graph& graph, Stream& stream);

}  // namespace cudalab::runtime
