// Graphs: capturing streams, instantiating, updating, launching.
#include <algorithm>
#include <utility>

#include "runtime/api/graph_handles.h"
#include "runtime/call.h"

using namespace cudalab;
using namespace cudalab::runtime;

namespace {

void begin_capture(Stream& stream) {
  require(stream.number != 0, cudaErrorStreamCaptureUnsupported, "the legacy stream cannot be captured");
  require(!stream.capture, cudaErrorIllegalState, "the stream is being captured already");
  stream.capture = std::make_shared<Graph>();
  stream.capture_tail.clear();
  stream.began_capture = true;
}

// Streams that joined must have been joined back: their last node has another behind it.
void require_joined(const Stream& origin) {
  for (const Stream* stream : the_runtime().queue.streams()) {
    if (stream == &origin || stream->capture != origin.capture) continue;
    for (const std::size_t node : stream->capture_tail) {
      const auto is_behind = [&](const GraphNode& other) {
        return std::ranges::count(other.after, node) > 0;
      };
      const bool is_joined = std::ranges::count(origin.capture_tail, node) > 0 ||
                             std::ranges::any_of(origin.capture->nodes, is_behind);
      require(is_joined, cudaErrorStreamCaptureUnjoined,
              "a stream that joined the capture was not waited for by the stream that began it");
    }
  }
}

std::shared_ptr<Graph> end_capture(Stream& stream) {
  require(stream.capture != nullptr, cudaErrorIllegalState, "the stream is not being captured");
  require(stream.began_capture, cudaErrorStreamCaptureUnmatched, "another stream began the capture");
  require_joined(stream);
  const std::shared_ptr<Graph> graph = stream.capture;
  for (Stream* other : the_runtime().queue.streams())
    if (other->capture == graph) {
      other->capture.reset();
      other->capture_tail.clear();
      other->began_capture = false;
    }
  return graph;
}

cudaError_t instantiate(const char* call, cudaGraphExec_t* exec, cudaGraph_t graph) {
  return answer(call, [&] {
    require(exec, cudaErrorInvalidValue, "the pointer to the graph is null");
    *exec = reinterpret_cast<cudaGraphExec_t>(new_graph(std::make_shared<Graph>(*graph_of(graph).graph)));
  });
}

// Where a graph cannot take the place of another.
struct Difference {
  cudaGraphExecUpdateResult result = cudaGraphExecUpdateSuccess;
  std::size_t node = SIZE_MAX;
};

Difference first_difference(const Graph& to, const Graph& from) {
  if (to.nodes.size() != from.nodes.size()) return {cudaGraphExecUpdateErrorTopologyChanged};
  for (std::size_t i = 0; i < to.nodes.size(); ++i) {
    if (to.nodes[i].type != from.nodes[i].type) return {cudaGraphExecUpdateErrorNodeTypeChanged, i};
    if (to.nodes[i].after != from.nodes[i].after) return {cudaGraphExecUpdateErrorTopologyChanged, i};
  }
  return {};
}

// What was switched off stays so.
void take_over(Graph& to, const Graph& from) {
  const Graph before = std::exchange(to, from);
  for (std::size_t i = 0; i < to.nodes.size(); ++i) to.nodes[i].is_enabled = before.nodes[i].is_enabled;
}

// What a stream's capture has come to. What it points to stands until the thread asks again.
struct CaptureAnswer {
  unsigned long long* id;
  cudaGraph_t* graph;
  const cudaGraphNode_t** after;
  const cudaGraphEdgeData** edges;
  std::size_t* count;
};

void tell_of_capture(const Stream& stream, const CaptureAnswer& told) {
  thread_local std::vector<cudaGraphNode_t> after;
  thread_local std::vector<cudaGraphEdgeData> edges;
  after.clear();
  for (const std::size_t node : stream.capture_tail) after.push_back(node_at(*stream.capture, node));
  edges.assign(after.size(), {});
  if (told.id) *told.id = reinterpret_cast<std::uintptr_t>(stream.capture.get());
  if (told.graph) *told.graph = reinterpret_cast<cudaGraph_t>(handle_of(stream.capture));
  if (told.after) *told.after = after.data();
  if (told.edges) *told.edges = edges.data();
  if (told.count) *told.count = after.size();
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode) {
  return answer(__func__, [&] { begin_capture(stream_of(stream)); });
}
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  return answer(__func__, [&] {
    require(graph, cudaErrorInvalidValue, "the pointer to the graph is null");
    *graph = nullptr;
    *graph = reinterpret_cast<cudaGraph_t>(handle_of(end_capture(stream_of(stream))));
  });
}
cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
  return answer(__func__, [&] {
    require(status, cudaErrorInvalidValue, "the pointer to the status is null");
    *status = stream_of(stream).capture ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone;
  });
}
cudaError_t cudaStreamGetCaptureInfo(cudaStream_t handle, cudaStreamCaptureStatus* status,
                                     unsigned long long* id, cudaGraph_t* graph,
                                     const cudaGraphNode_t** after, const cudaGraphEdgeData** edges,
                                     std::size_t* count) {
  return answer(__func__, [&] {
    require(status, cudaErrorInvalidValue, "the pointer to the status is null");
    const Stream& stream = stream_of(handle);
    *status = stream.capture ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone;
    if (stream.capture) tell_of_capture(stream, {id, graph, after, edges, count});
  });
}
// Which calls a capture forbids: none is forbidden here, so that the mode is only told again.
cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
  return answer(__func__, [&] {
    thread_local cudaStreamCaptureMode kept = cudaStreamCaptureModeGlobal;
    require(mode, cudaErrorInvalidValue, "a pointer is null");
    std::swap(*mode, kept);
  });
}

cudaError_t cudaGraphCreate(cudaGraph_t* graph, unsigned flags) {
  return answer(__func__, [&] {
    require(graph && flags == 0, cudaErrorInvalidValue,
            "the pointer to the graph is null, or the flags are not 0");
    *graph = reinterpret_cast<cudaGraph_t>(new_graph(std::make_shared<Graph>()));
  });
}
cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  return answer(__func__, [&] { destroy_graph(graph); });
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t graph) {
  return answer(__func__, [&] { destroy_graph(graph); });
}
cudaError_t cudaGraphClone(cudaGraph_t* clone, cudaGraph_t graph) {
  return answer(__func__, [&] {
    require(clone, cudaErrorInvalidValue, "the pointer to the graph is null");
    *clone = reinterpret_cast<cudaGraph_t>(new_graph(std::make_shared<Graph>(*graph_of(graph).graph)));
  });
}
cudaError_t cudaGraphInstantiate(cudaGraphExec_t* exec, cudaGraph_t graph, unsigned long long) {
  return instantiate(__func__, exec, graph);
}
cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* exec, cudaGraph_t graph, unsigned long long) {
  return instantiate(__func__, exec, graph);
}
cudaError_t cudaGraphLaunch(cudaGraphExec_t graph, cudaStream_t stream) {
  return answer(__func__, [&] { run_graph(*graph_of(graph).graph, stream_of(stream)); });
}
cudaError_t cudaGraphUpload(cudaGraphExec_t graph, cudaStream_t stream) {
  return answer(__func__, [&] {
    graph_of(graph);
    stream_of(stream);
  });
}
cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph,
                                cudaGraphExecUpdateResultInfo* info) {
  return answer(__func__, [&] {
    Graph &to = *graph_of(exec).graph, &from = *graph_of(graph).graph;
    const Difference found = first_difference(to, from);
    if (info) {
      *info = {};
      info->result = found.result;
      if (found.node < from.nodes.size()) info->errorNode = node_at(from, found.node);
    }
    require(found.result == cudaGraphExecUpdateSuccess, cudaErrorGraphExecUpdateFailure,
            "the graph has other nodes or edges than the one that is updated");
    take_over(to, from);
  });
}
cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t* exec, cudaGraph_t graph,
                                           cudaGraphInstantiateParams* params) {
  if (params) params->result_out = cudaGraphInstantiateSuccess;
  return instantiate(__func__, exec, graph);
}
cudaError_t cudaDeviceGraphMemTrim(int) {
  return answer(__func__, [] {});
}
}  // extern "C"
#pragma GCC visibility pop
