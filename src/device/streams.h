// Copies and kernels that are queued in several streams, so that one copies while another computes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "core/measurement.h"

namespace cudalab::device {

struct Launch;
struct TimingPlan;

// Pageable memory is the host's ordinary kind: the driver copies it in pieces through page-locked memory of
// its own, and the host waits meanwhile. Pinned (page-locked) memory is read and written by the GPU itself.
enum class HostMemoryKind { kPageable, kPinned };

// Bytes on the host; given back with the object. Must not outlive the device.
class HostMemory {
 public:
  using Release = std::function<void(std::byte*)>;
  HostMemory(std::byte* first, std::size_t bytes, Release release)
      : memory_(first, std::move(release)), bytes_(bytes) {}
  std::span<std::byte> bytes() const { return {memory_.get(), bytes_}; }

 private:
  std::unique_ptr<std::byte, Release> memory_;
  std::size_t bytes_;
};

enum class OperationKind { kToDevice, kKernel, kFromDevice };

// One entry of a stream. Those of one stream happen one after the other, in the order given.
struct StreamOperation {
  OperationKind kind{};
  std::size_t stream = 0;
  std::uint64_t address = 0;       // of a copy, on the device
  std::span<std::byte> host{};     // of a copy
  const Launch* launch = nullptr;  // of a kernel
};

// When an operation began and ended, from the begin of the first.
struct Interval {
  double begin_ms = 0, end_ms = 0;
};

class Streams {
 public:
  virtual ~Streams() = default;
  virtual HostMemory allocate_host(std::size_t bytes, HostMemoryKind kind) = 0;

  // Each queues all operations and waits for the last. They throw Error where one fails.
  virtual void run(std::span<const StreamOperation> operations) = 0;
  // The intervals, in the order of the operations. The events between them cost some microseconds each.
  virtual std::vector<Interval> timeline(std::span<const StreamOperation> operations) = 0;
  // From the begin of the first to the end of the last, the host's time to queue them included.
  virtual TimeSummary time(std::span<const StreamOperation> operations, const TimingPlan& plan) = 0;
};

}  // namespace cudalab::device
