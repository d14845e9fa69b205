// Work on a CUDA device: the queue that parts of the device share, its streams, and timing.
#include "device/cuda/cuda_queue.h"

#include <algorithm>
#include <chrono>

#include "device/sampling.h"

namespace cudalab::device {
namespace {

constexpr std::size_t kFlushTimesL2 = 4;
constexpr double kShortestRampSeconds = 0.03, kLongestRampSeconds = 0.5;

class Clock {
 public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

// Overwrites the L2, so later accesses to the data miss.
class CacheFlush {
 public:
  CacheFlush(const ContextPointer& context, std::size_t l2_bytes)
      : context_(context),
        words_(kFlushTimesL2 * l2_bytes / sizeof(std::uint32_t)),
        memory_(make_memory(context, words_ * sizeof(std::uint32_t))) {}
  void operator()(CUstream stream) const {
    context_->driver().set_words_async(memory_.get(), 0, words_, stream);
  }

 private:
  ContextPointer context_;
  std::size_t words_;
  CudaMemory memory_;
};

// Measures the time of a batch between two events.
class Stopwatch {
 public:
  Stopwatch(const ContextPointer& context, CUstream stream, const Wait& wait)
      : cuda_(context->driver()),
        stream_(stream),
        wait_(wait),
        begin_(make_event(context)),
        end_(make_event(context)) {}

  double time_ms(const Work& work) const {
    cuda_.event_record(begin_.get(), stream_);
    work(stream_);
    cuda_.event_record(end_.get(), stream_);
    wait_(end_.get());
    float elapsed_ms = 0;
    cuda_.event_elapsed(&elapsed_ms, begin_.get(), end_.get());
    return elapsed_ms;
  }

 private:
  const Driver& cuda_;
  CUstream stream_;
  const Wait& wait_;
  CudaEvent begin_, end_;
};

// An idle GPU runs at low clock frequencies. Runs work until the times are constant.
void ramp_up(const std::function<double()>& sample_ms) {
  const Clock clock;
  std::vector<double> batches;
  do {
    batches.push_back(sample_ms());
  } while (clock.seconds() < kLongestRampSeconds &&
           (clock.seconds() < kShortestRampSeconds || !is_steady(batches)));
}

TimeSummary sample(const std::function<double()>& sample_ms, const TimingPlan& plan) {
  ramp_up(sample_ms);
  const Clock clock;
  Sampler sampler(plan);
  while (!sampler.enough(clock.seconds())) sampler.add(sample_ms());
  return sampler.summary();
}

}  // namespace

TimeSummary time_work(const ContextPointer& context, CUstream stream, const Work& work, Batching batching,
                      const TimingPlan& plan, std::size_t l2_bytes, const Wait& wait) {
  const Stopwatch stopwatch(context, stream, wait);
  const auto prepare = [&] {
    if (plan.before_each) plan.before_each();
  };
  prepare();
  stopwatch.time_ms(work);  // the first run loads code
  if (plan.cold) {
    const CacheFlush flush(context, l2_bytes);
    return sample([&] { return prepare(), flush(stream), stopwatch.time_ms(work); }, plan);
  }
  const int runs = batch_size(stopwatch.time_ms(work));
  const Work batch = [&](CUstream s) {
    for (int run = 0; run < runs; ++run) work(s);
  };
  if (runs == 1 || batching == Batching::kStream)
    return sample([&] { return stopwatch.time_ms(batch) / runs; }, plan);
  const CudaGraph graph = make_graph(context, stream, batch);
  const Work launch_graph = [&](CUstream s) { context->driver().graph_launch(graph.get(), s); };
  return sample([&] { return stopwatch.time_ms(launch_graph) / runs; }, plan);
}

CudaStreams::CudaStreams(CudaQueue queue)
    : queue_(std::move(queue)), cuda_(queue_.context->driver()), forked_(make_event(queue_.context)) {}

HostMemory CudaStreams::allocate_host(std::size_t bytes, HostMemoryKind kind) {
  queue_.enter();
  if (kind == HostMemoryKind::kPageable)
    return {new std::byte[bytes](), bytes, [](std::byte* first) { delete[] first; }};
  auto pinned = std::make_shared<PinnedMemory>(make_pinned_memory(queue_.context, bytes));
  // The memory is freed with the last copy of this function.
  return {static_cast<std::byte*>(pinned->get()), bytes, [pinned](std::byte*) mutable { pinned.reset(); }};
}

void CudaStreams::make_branches(std::span<const StreamOperation> operations) {
  std::size_t count = 0;
  for (const StreamOperation& operation : operations) count = std::max(count, operation.stream + 1);
  while (branches_.size() < count)
    branches_.push_back({make_stream(queue_.context), make_event(queue_.context)});
}

void CudaStreams::put(const StreamOperation& operation, CUstream stream) const {
  const std::span<std::byte> host = operation.host;
  switch (operation.kind) {
    case OperationKind::kToDevice:
      return cuda_.copy_to_device_async(operation.address, host.data(), host.size(), stream);
    case OperationKind::kFromDevice:
      return cuda_.copy_from_device_async(host.data(), operation.address, host.size(), stream);
    case OperationKind::kKernel: return queue_.start(*operation.launch, stream);
  }
}

// Every branch waits for the work on `from`, and `from` continues after all branches.
void CudaStreams::issue(std::span<const StreamOperation> operations, CUstream from, const Step& step) {
  cuda_.event_record(forked_.get(), from);
  for (const Branch& branch : branches_) cuda_.stream_wait_event(branch.stream.get(), forked_.get(), 0);
  for (const StreamOperation& operation : operations)
    step(operation, branches_[operation.stream].stream.get());
  for (const Branch& branch : branches_) {
    cuda_.event_record(branch.joined.get(), branch.stream.get());
    cuda_.stream_wait_event(from, branch.joined.get(), 0);
  }
}

void CudaStreams::run(std::span<const StreamOperation> operations) {
  queue_.enter();
  make_branches(operations);
  issue(operations, queue_.stream,
        [this](const auto& operation, CUstream stream) { put(operation, stream); });
  const CudaEvent done = make_event(queue_.context);
  cuda_.event_record(done.get(), queue_.stream);
  queue_.wait(done.get());
}

std::vector<Interval> CudaStreams::timeline(std::span<const StreamOperation> operations) {
  queue_.enter();
  make_branches(operations);
  const CudaEvent start = make_event(queue_.context), done = make_event(queue_.context);
  std::vector<std::pair<CudaEvent, CudaEvent>> marks;
  cuda_.event_record(start.get(), queue_.stream);
  issue(operations, queue_.stream, [&](const StreamOperation& operation, CUstream stream) {
    const auto& [begin, end] = marks.emplace_back(make_event(queue_.context), make_event(queue_.context));
    cuda_.event_record(begin.get(), stream);
    put(operation, stream);
    cuda_.event_record(end.get(), stream);
  });
  cuda_.event_record(done.get(), queue_.stream);
  queue_.wait(done.get());
  const auto since_start = [&](const CudaEvent& event) {
    float elapsed_ms = 0;
    cuda_.event_elapsed(&elapsed_ms, start.get(), event.get());
    return static_cast<double>(elapsed_ms);
  };
  std::vector<Interval> intervals;
  for (const auto& [begin, end] : marks) intervals.push_back({since_start(begin), since_start(end)});
  return intervals;
}

TimeSummary CudaStreams::time(std::span<const StreamOperation> operations, const TimingPlan& plan) {
  queue_.enter();
  make_branches(operations);
  const Work work = [&](CUstream from) {
    issue(operations, from, [this](const auto& operation, CUstream stream) { put(operation, stream); });
  };
  return queue_.time(work, Batching::kStream, plan);
}

}  // namespace cudalab::device
