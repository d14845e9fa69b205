// Rates of copies are as measured on an H200 (expected/h200/transfer.json: pinned 55 GB/s, pageable 10.6
// GB/s; expected/h200/memory.json: the card's own memory).
#include "runtime/streams/timing.h"

#include <algorithm>

namespace cudalab::runtime {
namespace {

constexpr double kPinnedBytesPerMs = 55.3e6, kPageableBytesPerMs = 10.6e6, kOnDeviceBytesPerMs = 2.0e9,
                 kOnHostBytesPerMs = 10e6, kFillBytesPerMs = 3.5e9;
constexpr double kCopyMs = 0.006, kKernelMs = 0.0025;  // of the smallest

double bytes_per_ms(CopyDirection direction, bool is_pageable) {
  switch (direction) {
    case CopyDirection::kOnDevice: return kOnDeviceBytesPerMs;
    case CopyDirection::kOnHost: return kOnHostBytesPerMs;
    case CopyDirection::kFill: return kFillBytesPerMs;
    default: return is_pageable ? kPageableBytesPerMs : kPinnedBytesPerMs;
  }
}

}  // namespace

double copy_ms(CopyDirection direction, std::uint64_t bytes, bool is_pageable) {
  return kCopyMs + static_cast<double>(bytes) / bytes_per_ms(direction, is_pageable);
}

// Where the time model says nothing, what the counters bound: sectors that go to memory, and four warp
// instructions a cycle of each multiprocessor. THE one place that knows a time without the model.
double kernel_ms(const LaunchResult& result, const vgpu::Card& card) {
  if (result.prediction) return result.prediction->ms;
  if (!result.counters) return kKernelMs;
  constexpr double kCyclesPerMs = 1.7e6, kIssuesPerCycle = 4, kSectorBytes = 32, kBytesPerMs = 4.0e9;
  double sectors = 0;
  for (const Counter counter : {Counter::kGlobalLoadSectors, Counter::kGlobalStoreSectors,
                                Counter::kGlobalAtomicSectors, Counter::kGlobalReductionSectors})
    sectors += result.counters->value_or_zero(counter);
  const double memory = sectors * kSectorBytes / kBytesPerMs;
  const double issue = result.counters->value_or_zero(Counter::kWarpInstructions) /
                       (kCyclesPerMs * kIssuesPerCycle * card.multiprocessors);
  return kKernelMs + std::max(memory, issue);
}

double share_of_card(const LaunchResult& result, const vgpu::Card& card, std::uint64_t blocks) {
  if (result.prediction && result.prediction->occupancy.waves > 0)
    return std::min(1.0, result.prediction->occupancy.waves);
  return std::min(1.0, static_cast<double>(blocks) / card.multiprocessors);
}

PredictedSpan Clock::run(Engine engine, int device, double earliest_ms, double duration_ms, double share) {
  PredictedSpan span{earliest_ms, earliest_ms + duration_ms};
  if (engine == Engine::kNone) return span;
  if (engine != Engine::kCompute) {
    double& end = copies_end_[{device, engine}];
    span.start_ms = std::max(earliest_ms, end);
    return {span.start_ms, end = span.start_ms + duration_ms};
  }
  // Kernels run as soon as what the others leave free is enough.
  std::vector<Busy>& busy = kernels_[device];
  std::erase_if(busy, [&](const Busy& one) { return one.until_ms <= earliest_ms; });
  std::ranges::sort(busy, {}, &Busy::until_ms);
  double used = 0;
  for (const Busy& one : busy) used += one.share;
  constexpr double kWhole = 1.0 + 1e-9;
  for (std::size_t i = 0; i < busy.size() && used + share > kWhole; ++i) {
    used -= busy[i].share;
    span.start_ms = busy[i].until_ms;
  }
  span.end_ms = span.start_ms + duration_ms;
  busy.push_back({span.end_ms, share});
  return span;
}

}  // namespace cudalab::runtime
