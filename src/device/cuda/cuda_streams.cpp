// Streams on the CUDA driver.
#include "device/cuda/cuda_streams.h"

#include <algorithm>
#include <new>

namespace cudalab::device {

CudaStreams::CudaStreams(CudaQueue queue)
    : queue_(std::move(queue)), cuda_(queue_.context->driver()), forked_(make_event(queue_.context)) {}

HostMemory CudaStreams::allocate_host(std::size_t bytes, HostMemoryKind kind) {
  queue_.enter();
  if (kind == HostMemoryKind::kPageable)
    return {new std::byte[bytes](), bytes, [](std::byte* first) { delete[] first; }};
  auto pinned = std::make_shared<PinnedMemory>(make_pinned_memory(queue_.context, bytes));
  // The memory goes with the last copy of the function that holds it.
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

// Every branch waits for what is on `from`, and `from` goes on when every branch is done.
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
