// CUDA graphs: jobs and their dependencies, built node by node or captured from streams.
#pragma once

#include <cuda_runtime_api.h>

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "runtime/streams/queue.h"

namespace cudalab::runtime {

struct Graph;

// A conditional node's bodies. The handle's value selects one of them; for a while node, the only body
// repeats while the value is not 0.
struct Condition {
  cudaGraphConditionalHandle handle = 0;
  cudaGraphConditionalNodeType type{};
  std::vector<std::shared_ptr<Graph>> bodies;
  std::vector<cudaGraph_t> handles;  // of the bodies, as the program received them

  // Null if the value selects none.
  const Graph* body_for(unsigned value) const;
};

struct GraphNode {
  Job job;
  std::vector<std::size_t> after;  // indices of the nodes that this one depends on
  cudaGraphNodeType type = cudaGraphNodeTypeEmpty;
  bool is_removed = false;
  bool is_enabled = true;                  // set by cudaGraphNodeSetEnabled
  std::shared_ptr<Graph> child = nullptr;  // a copy of the child graph from when it was added
  Event *records = nullptr, *waits_for = nullptr;
  std::shared_ptr<Condition> condition = nullptr;
};

// Memory that a graph and its instances share. The last of them frees it, unless the program has done so.
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
  std::set<std::uint64_t> freed;  // of the memory: what the graph itself frees
  bool frees_on_launch = false;   // of an instance: memory that its last launch has left allocated
  // The initial value of each conditional handle, here and in the bodies, at every launch. Empty: the value
  // is not reset.
  std::map<cudaGraphConditionalHandle, std::optional<unsigned>> conditions;
  const Graph* made_from = nullptr;     // for an instance: the graph that it was made from
  std::weak_ptr<const Graph> instance;  // the latest

  bool owns(std::uint64_t address) const;
  bool has_conditions() const;
};

// A deep copy: child graphs and bodies are copied, only memory is shared.
std::shared_ptr<Graph> instance_of(const Graph& graph);
// The graph within an instance, at any depth, that was made from `original`; null if there is none.
Graph* find_in(Graph& instance, const Graph& original);
// After an update of an instance: its child graphs still count as made from those of `before`, so handles of
// the original nodes stay valid.
void keep_origins(Graph& to, const Graph& before);

// Appends a node to the graph that the stream is captured into.
void capture(Stream& stream, Job job);
// Queues every node once. Later work on the stream depends on all of them.
void run_graph(const Graph& graph, Stream& stream);

}  // namespace cudalab::runtime
