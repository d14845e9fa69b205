// Graphs: jobs and what each comes behind, made by hand or by capturing streams.
#pragma once

#include <cuda_runtime_api.h>

#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "runtime/streams/queue.h"

namespace cudalab::runtime {

struct Graph;

// What a conditional node runs: of its bodies the one that the handle's value chooses, or the only one as
// long as the value is not 0.
struct Condition {
  cudaGraphConditionalHandle handle = 0;
  cudaGraphConditionalNodeType type{};
  std::vector<std::shared_ptr<Graph>> bodies;
  std::vector<cudaGraph_t> handles;  // of the bodies, as the program was given them

  // Null: none of them.
  const Graph* body_for(unsigned value) const;
};

struct GraphNode {
  Job job;
  std::vector<std::size_t> after;  // nodes before it in the list
  cudaGraphNodeType type = cudaGraphNodeTypeEmpty;
  bool is_removed = false;
  bool is_enabled = true;                  // cudaGraphNodeSetEnabled
  std::shared_ptr<Graph> child = nullptr;  // another graph's nodes, as they were when it was added
  Event *records = nullptr, *waits_for = nullptr;
  std::shared_ptr<Condition> condition = nullptr;
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
  // Of conditional nodes here and in the bodies: what each begins a launch with; empty: as it was left.
  std::map<cudaGraphConditionalHandle, std::optional<unsigned>> conditions;
  const Graph* made_from = nullptr;     // of an instance: what it is one of
  std::weak_ptr<const Graph> instance;  // the last one

  bool owns(std::uint64_t address) const;
  bool has_conditions() const;
};

// With the graphs in its nodes, so that nothing is shared but memory.
std::shared_ptr<Graph> instance_of(const Graph& graph);
// The graph in an instance that was made from `original`, at any depth; null: none.
Graph* find_in(Graph& instance, const Graph& original);
// Graphs in nodes are what they are in `to` from now on, for who has handles of those that they were made
// from.
void keep_origins(Graph& to, const Graph& before);

// Appends to the graph that the stream is captured into.
void capture(Stream& stream, Job job);
// Queues every node once; what comes next on the stream comes behind all of them.
void run_graph(const Graph& graph, Stream& stream);

}  // namespace cudalab::runtime
