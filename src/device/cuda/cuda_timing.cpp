// Event pairs around batches of work.
#include "device/cuda/cuda_timing.h"

#include <chrono>
#include <optional>

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

// Overwrites the L2, so that what follows finds nothing of its data there.
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

// Runs a batch between two events.
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

// An idle GPU runs slowly: works until the times stop changing.
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
  stopwatch.time_ms(work);  // the first run loads code
  if (plan.cold) {
    const CacheFlush flush(context, l2_bytes);
    return sample([&] { return flush(stream), stopwatch.time_ms(work); }, plan);
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

}  // namespace cudalab::device
