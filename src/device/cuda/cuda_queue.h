// Work on a CUDA device: the queue that parts of the device share, its streams, and timing.
#pragma once

#include <functional>
#include <vector>

#include "device/cuda/driver.h"
#include "device/device.h"

namespace cudalab::device {

// Measures the time of work on a GPU: warm-up, samples with events, cold and warm caches.

using Work = std::function<void(CUstream)>;  // enqueues the work on a stream and returns
using Wait = std::function<void(CUevent)>;   // returns after the event; throws if waiting fails

// How a batch of runs is submitted. A graph avoids the host's launch overhead. However, in a graph the driver
// assigns copies to the copy engine, which reaches only two thirds of the bandwidth of the same call on a
// stream.
enum class Batching { kGraph, kStream };

// Times `work` until the samples agree. A sample depends on the cache mode:
//   warm   Enough runs to fill a millisecond, in sequence between two events. The sample is the time of
//          the batch divided by the number of runs. With a graph it excludes the host's launch overhead,
//          but includes the GPU's pause between kernels (about 1 us). The caches hold the data of the
//          previous run.
//   cold   One run. The L2 is overwritten with four times its size before the first event. The host
//          enqueues the run during this time, so the sample excludes the host's launch overhead. It
//          includes the overhead of the events (1 to 2 us).
TimeSummary time_work(const ContextPointer& context, CUstream stream, const Work& work, Batching batching,
                      const TimingPlan& plan, std::size_t l2_bytes, const Wait& wait);

// The state that the parts of the CUDA device share: its context and stream, and how to start, wait and time.

struct CudaQueue {
  ContextPointer context;
  CUstream stream = nullptr;
  std::function<void()> enter;                         // throws if the GPU is lost
  std::function<void(const Launch&, CUstream)> start;  // throws if the launch is refused
  std::function<void(CUevent)> wait;                   // throws if work before the event failed
  std::function<TimeSummary(const Work&, Batching, const TimingPlan&)> time;
};

// Streams on the CUDA driver. Operations run between a fork from the device's own stream and a join with it.

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
