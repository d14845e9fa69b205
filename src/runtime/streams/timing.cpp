// Where the time model says nothing, the card's own figures bound what happens.
#include "runtime/streams/timing.h"

#include <algorithm>

#include "vgpu/warp_shape.h"

namespace cudalab::runtime {
namespace {

constexpr double kBytesPerMsOfOneGb = 1e6, kOnHostGb = 10;
// What copying within the card's memory and filling it reach of its bandwidth on paper, which the first goes
// through twice: as measured on an H200 (expected/h200/memory.json).
constexpr double kReachedCopying = 0.83, kReachedFilling = 0.73;

double gb_per_second(CopyDirection direction, bool is_pageable, const vgpu::Card& card) {
  switch (direction) {
    case CopyDirection::kOnDevice: return kReachedCopying * card.dram_gb_per_second / 2;
    case CopyDirection::kOnHost: return kOnHostGb;
    case CopyDirection::kFill: return kReachedFilling * card.dram_gb_per_second;
    default: return is_pageable ? card.pageable_gb_per_second : card.pinned_gb_per_second;
  }
}

double ms_for(std::uint64_t bytes, double gb_per_second) {
  return static_cast<double>(bytes) / (gb_per_second * kBytesPerMsOfOneGb);
}

}  // namespace

double copy_ms(CopyDirection direction, std::uint64_t bytes, bool is_pageable, const vgpu::Card& card) {
  return card.copy_us / 1000 + ms_for(bytes, gb_per_second(direction, is_pageable, card));
}

// Sectors that go to memory, and a warp instruction a clock of each scheduler. THE one place that knows a
// time without the model.
double kernel_ms(const LaunchResult& result, const vgpu::Card& card) {
  if (result.prediction) return result.prediction->ms;
  const double launch_ms = card.launch_us / 1000;
  if (!result.counters) return launch_ms;
  double sectors = 0;
  for (const Counter counter : {Counter::kGlobalLoadSectors, Counter::kGlobalStoreSectors,
                                Counter::kGlobalAtomicSectors, Counter::kGlobalReductionSectors})
    sectors += result.counters->value_or_zero(counter);
  const double memory =
      ms_for(static_cast<std::uint64_t>(sectors) * vgpu::kSectorBytes, card.dram_gb_per_second);
  const double issue = result.counters->value_or_zero(Counter::kWarpInstructions) /
                       (card.clock_mhz * 1000 * card.schedulers * card.multiprocessors);
  return launch_ms + std::max(memory, issue);
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
