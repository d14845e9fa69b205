// Graphs: jobs and what each comes behind, made by hand or by capturing streams.
#pragma once

#include <cuda_runtime_api.h>

#include <memory>
#include <vector>

#include "runtime/streams/queue.h"

namespace cudalab::runtime {

struct Graph;

struct GraphNode {
  Job job;
  std::vector<std::size_t> after;  // nodes before it in the list
  cudaGraphNodeType type = cudaGraphNodeTypeEmpty;
  bool is_removed = false;
  bool is_enabled = true;                  // cudaGraphNodeSetEnabled
  std::shared_ptr<Graph> child = nullptr;  // another graph's nodes, as they were when it was added
  Event *records = nullptr, *waits_for = nullptr;
};

// Memory that belongs to a graph, and to what is instantiated from it: freed with the last of them, unless
// the program has freed it.
class GraphMemory {
 public:
  GraphMemory(const std::string& call, std::size_t bytes, int device);
  ~GraphMemory();
  GraphMemory(const GraphMemory&) = delete;
  GraphMemory& operator=(const GraphMemory&) = delete;
  std::uint64_t address() const { return address_; }

 private:
  std::uint64_t address_;
  std::string name_;
};

struct Graph {
  std::vector<GraphNode> nodes;
  std::vector<std::shared_ptr<const GraphMemory>> memory;

  bool owns(std::uint64_t address) const;
};

// Appends to the graph that the stream is captured into.
void capture(Stream& stream, Job job);
// Queues every node once; what comes next on the stream comes behind all of them.
void run_graph(const Graph& graph, Stream& stream);

}  // namespace cudalab::runtime
