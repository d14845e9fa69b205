// A captured stream is a path through the graph; a launch of a graph is its jobs, each behind the same
// others.
#include "runtime/streams/graph.h"

#include "runtime/runtime.h"

namespace cudalab::runtime {

void capture(Stream& stream, Job job) {
  GraphNode node;
  node.type = job.is_kernel ? cudaGraphNodeTypeKernel : cudaGraphNodeTypeMemcpy;
  node.job = std::move(job);
  node.after = stream.capture_tail;
  stream.capture->nodes.push_back(std::move(node));
  stream.capture_tail = {stream.capture->nodes.size() - 1};
}

void run_graph(const Graph& graph, Stream& stream) {
  Queue& queue = the_runtime().queue;
  const Job nothing{.name = "graph", .engine = Engine::kNone, .run = [] { return Outcome{}; }};
  const WorkRef begin = queue.enqueue(stream, nothing);
  std::vector<WorkRef> works;
  for (const GraphNode& node : graph.nodes) {
    std::vector<WorkRef> after{begin};
    for (const std::size_t before : node.after) after.push_back(works[before]);
    works.push_back(node.is_removed || !node.job.run ? queue.enqueue_node(stream, nothing, after)
                                                     : queue.enqueue_node(stream, node.job, after));
  }
  works.push_back(begin);
  queue.enqueue(stream, nothing, works);
}

}  // namespace cudalab::runtime
