// Work on a CUDA device: the queue that parts of the device share, its streams, and timing.
#pragma once

#include <functional>
#include <vector>

#include "device/cuda/driver.h"
#include "device/device.h"

namespace cudalab::device {

// How long work takes on a GPU: warming up, sampling with events, cold and warm caches.

using Work = std::function<void(CUstream)>;  // puts the work on a stream and returns
using Wait = std::function<void(CUevent)>;   // returns when the event has happened; throws where it cannot

// How the runs of a batch get to the GPU. A graph spares the host's cost of each launch, but in a graph the
// driver gives a copy to the copy engine, which reaches two thirds of the bandwidth that the same call has on
// a stream.
enum class Batching { kGraph, kStream };

// Times `work` until the samples agree. What one sample is:
//   warm   As many runs as fill a millisecond, one after the other, between one pair of events; the sample is
//          the time of the batch divided by the runs. In a graph the host's cost of a launch is not in it;
//          the GPU's own pause between two kernels (about a microsecond) is. The caches hold what the run
//          before left there.
//   cold   One run. Before the first event the L2 is overwritten with four times its size; meanwhile the host
//          has queued the run, so that its own cost is not in the sample. The events' cost (one to two
//          microseconds) is.
TimeSummary time_work(const ContextPointer& context, CUstream stream, const Work& work, Batching batching,
                      const TimingPlan& plan, std::size_t l2_bytes, const Wait& wait);

// What the parts of the CUDA device share with it: its context and stream, and how it starts, waits and
// times.

struct CudaQueue {
  ContextPointer context;
  CUstream stream = nullptr;
  std::function<void()> enter;                         // throws once the GPU is lost
  std::function<void(const Launch&, CUstream)> start;  // throws where the launch is refused
  std::function<void(CUevent)> wait;                   // throws where what was before the event failed
  std::function<TimeSummary(const Work&, Batching, const TimingPlan&)> time;
};

// Streams on the CUDA driver: operations between a fork from the device's own stream and the join with it.

class CudaStreams final : public Streams {
 public:
  explicit CudaStreams(CudaQueue queue);
  HostMemory allocate_host(std::size_t bytes, HostMemoryKind kind) override;
  void run(std::span<const StreamOperation> operations) override;
  std::vector<Interval> timeline(std::span<const StreamOperation> operations) override;
  TimeSummary time(std::span<const StreamOperation> operations, const TimingPlan& plan) override;

 private:
  struct Branch {
    CudaStream stream;
    CudaEvent joined;
  };
  using Step = std::function<void(const StreamOperation&, CUstream)>;
  void make_branches(std::span<const StreamOperation> operations);
  void issue(std::span<const StreamOperation> operations, CUstream from, const Step& step);
  void put(const StreamOperation& operation, CUstream stream) const;

  CudaQueue queue_;
  const Driver& cuda_;
  CudaEvent forked_;
  std::vector<Branch> branches_;
};

}  // namespace cudalab::device
