// Streams on the CUDA driver: operations between a fork from the device's own stream and the join with it.
#pragma once

#include <vector>

#include "device/cuda/cuda_queue.h"
#include "device/streams.h"

namespace cudalab::device {

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
