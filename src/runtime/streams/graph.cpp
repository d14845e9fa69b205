// Captures streams into graphs, instantiates graphs, and launches them: every node becomes work in the queue.
#include "runtime/streams/graph.h"

#include <algorithm>
#include <ranges>
#include <utility>

#include "messages/runtime.h"
#include "runtime/runtime.h"

namespace cudalab::runtime {

GraphMemory::GraphMemory(const std::string& call, std::size_t bytes, int device)
    : address_(the_runtime().memory.allocate(call.c_str(), bytes, device)),
      name_(the_runtime().memory.begins_at(address_)->name) {
  the_runtime().memory.give_to_graph(address_);
}

GraphMemory::~GraphMemory() {
  Memory& memory = the_runtime().memory;
  const MemoryBlock* block = memory.begins_at(address_);
  if (!block || block->name != name_) return;  // cudaDeviceReset has already freed it
  memory.take_from_graph(address_);
  memory.free(address_, false);
}

bool Graph::owns(std::uint64_t address) const {
  return std::ranges::any_of(memory, [&](const auto& one) { return one->address() == address; });
}

bool Graph::has_conditions() const {
  return std::ranges::any_of(nodes, [](const GraphNode& node) { return node.condition != nullptr; });
}

const Graph* Condition::body_for(unsigned value) const {
  if (type == cudaGraphCondTypeWhile) return value != 0 ? bodies[0].get() : nullptr;
  const std::size_t index = type == cudaGraphCondTypeIf ? (value != 0 ? 0 : 1) : value;
  return index < bodies.size() ? bodies[index].get() : nullptr;
}

// ---- instances -----------------------------------------------------------------------------------------

namespace {

// Visits the child graph or the bodies of a node.
template <class Node, class Visit>
void for_each_graph_in(Node& node, const Visit& visit) {
  if (node.child) visit(node.child);
  if (node.condition)
    for (auto& body : node.condition->bodies) visit(body);
}

}  // namespace

std::shared_ptr<Graph> instance_of(const Graph& graph) {
  auto instance = std::make_shared<Graph>(graph);
  instance->made_from = &graph;
  for (GraphNode& node : instance->nodes) {
    if (node.condition) node.condition = std::make_shared<Condition>(*node.condition);
    for_each_graph_in(node, [](std::shared_ptr<Graph>& inner) { inner = instance_of(*inner); });
  }
  return instance;
}

Graph* find_in(Graph& instance, const Graph& original) {
  if (instance.made_from == &original) return &instance;
  Graph* found = nullptr;
  for (GraphNode& node : instance.nodes)
    for_each_graph_in(node, [&](const std::shared_ptr<Graph>& inner) {
      if (!found) found = find_in(*inner, original);
    });
  return found;
}

void keep_origins(Graph& to, const Graph& before) {
  to.made_from = before.made_from;
  for (std::size_t i = 0; i < std::min(to.nodes.size(), before.nodes.size()); ++i) {
    std::vector<const Graph*> inner_before;
    for_each_graph_in(before.nodes[i], [&](const auto& inner) { inner_before.push_back(inner.get()); });
    std::size_t next = 0;
    for_each_graph_in(to.nodes[i], [&](const auto& inner) {
      if (next < inner_before.size()) keep_origins(*inner, *inner_before[next++]);
    });
  }
}

// ---- capturing -----------------------------------------------------------------------------------------

void capture(Stream& stream, Job job) {
  GraphNode node;
  node.type = job.as_node ? job.as_node().type : cudaGraphNodeTypeHost;
  node.job = std::move(job);
  node.after = stream.capture_tail;
  stream.capture->nodes.push_back(std::move(node));
  stream.capture_tail = {stream.capture->nodes.size() - 1};
}

// ---- launching -----------------------------------------------------------------------------------------

namespace {

const Job kNothing{.name = "graph", .engine = Engine::kNone, .run = [] { return Outcome{}; }};

WorkRef queue_nodes(const Graph& graph, Stream& stream, const WorkRef& begin);

// The memory that any node of the graph may use, including bodies that may not run.
std::vector<MemoryUse> uses_of(const Graph& graph) {
  std::vector<MemoryUse> uses;
  for (const GraphNode& node : graph.nodes) {
    uses.insert(uses.end(), node.job.uses.begin(), node.job.uses.end());
    for_each_graph_in(node, [&](const std::shared_ptr<Graph>& inner) {
      const std::vector<MemoryUse> more = uses_of(*inner);
      uses.insert(uses.end(), more.begin(), more.end());
    });
  }
  return uses;
}

WorkRef run_condition(Work& outer, const Condition& condition, const WorkRef& behind);

// Runs the nodes of a body immediately, in the order of their dependencies: the values that kernels set
// decide what runs next.
class BodyNodes {
 public:
  BodyNodes(const Graph& graph, Work& outer, WorkRef begin)
      : graph_(graph), outer_(outer), begin_(std::move(begin)), works_(graph.nodes.size()) {}

  WorkRef run_all() {
    std::vector<WorkRef> ends{begin_};
    for (std::size_t i = 0; i < works_.size(); ++i) ends.push_back(run(i));
    return the_runtime().queue.run_inside(outer_, kNothing, std::move(ends));
  }

 private:
  const WorkRef& run(std::size_t index) {
    WorkRef& work = works_[index];
    if (work) return work;
    const GraphNode& node = graph_.nodes[index];
    std::vector<WorkRef> after{begin_};
    for (const std::size_t before : node.after) after.push_back(run(before));
    const bool does_something =
        !node.is_removed && node.is_enabled && node.job.run && the_runtime().lost == cudaSuccess;
    work = the_runtime().queue.run_inside(outer_, does_something ? node.job : kNothing, std::move(after));
    if (node.child) work = BodyNodes(*node.child, outer_, work).run_all();
    if (node.condition) work = run_condition(outer_, *node.condition, work);
    return work;
  }

  const Graph& graph_;
  Work& outer_;
  WorkRef begin_;
  std::vector<WorkRef> works_;
};

// Runs the selected body, repeatedly for a while node. Returns the work after which all of it is complete.
WorkRef run_condition(Work& outer, const Condition& condition, const WorkRef& behind) {
  const Runtime& state = the_runtime();
  WorkRef end = behind;
  while (state.lost == cudaSuccess) {
    const Graph* body = condition.body_for(state.conditions.value(condition.handle).value_or(0));
    if (body) end = BodyNodes(*body, outer, end).run_all();
    if (!body || condition.type != cudaGraphCondTypeWhile) break;
  }
  return end;
}

// Queues a conditional node as one piece of work. The condition selects its nodes when it starts.
WorkRef queue_condition(const std::shared_ptr<Condition>& condition, Stream& stream,
                        std::vector<WorkRef> after) {
  Job job{.name = "conditional node", .engine = Engine::kNone, .run = {}};
  for (const auto& body : condition->bodies) {
    const std::vector<MemoryUse> uses = uses_of(*body);
    job.uses.insert(job.uses.end(), uses.begin(), uses.end());
  }
  WorkRef work = the_runtime().queue.enqueue_node(stream, std::move(job), std::move(after));
  work->job.run = [outer = work.get(), condition] {
    outer->job.uses.clear();  // each node reports its own
    const WorkRef begin = the_runtime().queue.run_inside(*outer, kNothing, outer->after);
    const WorkRef end = run_condition(*outer, *condition, begin);
    return Outcome{.ms = end->span.end_ms - begin->span.end_ms};
  };
  return work;
}

WorkRef queue_node(const GraphNode& node, Stream& stream, std::vector<WorkRef> after) {
  Queue& queue = the_runtime().queue;
  if (node.is_removed || !node.is_enabled) return queue.enqueue_node(stream, kNothing, std::move(after));
  if (node.condition) return queue_condition(node.condition, stream, std::move(after));
  if (node.waits_for && node.waits_for->recorded) after.push_back(node.waits_for->recorded);
  const WorkRef work = queue.enqueue_node(stream, node.job.run ? node.job : kNothing, std::move(after));
  if (node.records) node.records->recorded = work;
  return node.child ? queue_nodes(*node.child, stream, work) : work;
}

// Queues nodes after their dependencies, which may be later in the list if edges were added by hand.
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

// Returns the work after which all nodes are complete.
WorkRef queue_nodes(const Graph& graph, Stream& stream, const WorkRef& begin) {
  std::vector<WorkRef> works = Nodes(graph, stream, begin).all();
  works.push_back(begin);
  return the_runtime().queue.enqueue_node(stream, kNothing, std::move(works));
}

void add_defaults(const Graph& graph, std::map<cudaGraphConditionalHandle, unsigned>& to) {
  for (const auto& [handle, value] : graph.conditions)
    if (value) to[handle] = *value;
  for (const GraphNode& node : graph.nodes)
    for_each_graph_in(node, [&](const std::shared_ptr<Graph>& inner) { add_defaults(*inner, to); });
}

// The job at the beginning of a launch: resets conditional handles to their defaults, and allocates memory
// that the program has freed.
Job beginning_of(const Graph& graph) {
  std::map<cudaGraphConditionalHandle, unsigned> defaults;
  add_defaults(graph, defaults);
  std::vector<std::uint64_t> addresses;
  for (const auto& memory : graph.memory) addresses.push_back(memory->address());
  Job job = kNothing;
  if (!defaults.empty() || !addresses.empty())
    job.run = [defaults, addresses] {
      for (const auto& [handle, value] : defaults) the_runtime().conditions.set(handle, value);
      for (const std::uint64_t address : addresses) the_runtime().memory.launch_graph_with(address);
      return Outcome{};
    };
  return job;
}

}  // namespace

namespace {

// A launch must not allocate what an earlier one has allocated and nothing has freed.
void expect_memory(const Graph& graph) {
  Memory& memory = the_runtime().memory;
  const auto stays = [&](const auto& one) { return !graph.freed.contains(one->address()); };
  for (const auto& one : graph.memory | std::views::filter(stays)) {
    if (memory.expect(one->address(), true) && !graph.frees_on_launch)
      throw Failure{cudaErrorInvalidValue,
                    msg::graph_memory_not_freed(Code{memory.begins_at(one->address())->name})};
  }
}

}  // namespace

void run_graph(const Graph& graph, Stream& stream) {
  expect_memory(graph);
  Queue& queue = the_runtime().queue;
  const WorkRef begin = queue.enqueue(stream, beginning_of(graph));
  queue.enqueue(stream, kNothing, {queue_nodes(graph, stream, begin)});
}

}  // namespace cudalab::runtime
