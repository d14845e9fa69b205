// A captured stream is a path through the graph; a launch of a graph is its jobs, each behind the same
// others.
#include "runtime/streams/graph.h"

#include <algorithm>
#include <utility>

#include "runtime/runtime.h"

namespace cudalab::runtime {

GraphMemory::GraphMemory(const std::string& call, std::size_t bytes, int device)
    : address_(the_runtime().memory.allocate(call, bytes, device)),
      name_(the_runtime().memory.begins_at(address_)->name) {}

GraphMemory::~GraphMemory() {
  Memory& memory = the_runtime().memory;
  const MemoryBlock* block = memory.begins_at(address_);
  if (block && block->name == name_) memory.free(address_, false);
}

bool Graph::owns(std::uint64_t address) const {
  return std::ranges::any_of(memory, [&](const auto& one) { return one->address() == address; });
}

void capture(Stream& stream, Job job) {
  GraphNode node;
  node.type = job.as_node ? job.as_node().type : cudaGraphNodeTypeHost;
  node.job = std::move(job);
  node.after = stream.capture_tail;
  stream.capture->nodes.push_back(std::move(node));
  stream.capture_tail = {stream.capture->nodes.size() - 1};
}

namespace {

const Job kNothing{.name = "graph", .engine = Engine::kNone, .run = [] { return Outcome{}; }};

WorkRef queue_nodes(const Graph& graph, Stream& stream, const WorkRef& begin);

WorkRef queue_node(const GraphNode& node, Stream& stream, std::vector<WorkRef> after) {
  Queue& queue = the_runtime().queue;
  if (node.is_removed || !node.is_enabled) return queue.enqueue_node(stream, kNothing, std::move(after));
  if (node.waits_for && node.waits_for->recorded) after.push_back(node.waits_for->recorded);
  const WorkRef work = queue.enqueue_node(stream, node.job.run ? node.job : kNothing, std::move(after));
  if (node.records) node.records->recorded = work;
  return node.child ? queue_nodes(*node.child, stream, work) : work;
}

// Nodes that were joined by hand may stand in the list before what they come behind.
class Nodes {
 public:
  Nodes(const Graph& graph, Stream& stream, const WorkRef& begin)
      : graph_(graph), stream_(stream), begin_(begin), works_(graph.nodes.size()) {}

  const WorkRef& queued(std::size_t index) {
    WorkRef& work = works_[index];
    if (work) return work;
    std::vector<WorkRef> after{begin_};
    for (const std::size_t before : graph_.nodes[index].after) after.push_back(queued(before));
    return work = queue_node(graph_.nodes[index], stream_, std::move(after));
  }

  std::vector<WorkRef> all() {
    for (std::size_t i = 0; i < works_.size(); ++i) queued(i);
    return works_;
  }

 private:
  const Graph& graph_;
  Stream& stream_;
  WorkRef begin_;
  std::vector<WorkRef> works_;
};

// The end of all of them.
WorkRef queue_nodes(const Graph& graph, Stream& stream, const WorkRef& begin) {
  std::vector<WorkRef> works = Nodes(graph, stream, begin).all();
  works.push_back(begin);
  return the_runtime().queue.enqueue_node(stream, kNothing, std::move(works));
}

}  // namespace

void run_graph(const Graph& graph, Stream& stream) {
  Queue& queue = the_runtime().queue;
  const WorkRef begin = queue.enqueue(stream, kNothing);
  queue.enqueue(stream, kNothing, {queue_nodes(graph, stream, begin)});
}

}  // namespace cudalab::runtime
