// A first estimate: nothing overlaps with the launch itself, and all else overlaps with the scarcest
// resource.
#include "vgpu/time/predict.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "vgpu/warp_shape.h"

namespace cudalab::vgpu {
namespace {

double clocks_per_second(const Card& card) { return card.clock_mhz * 1e6; }

double sum_of(const Counters& counters, std::initializer_list<Counter> which) {
  double sum = 0;
  for (const Counter counter : which) sum += counters.value_or_zero(counter);
  return sum;
}

double global_sectors(const Counters& counters) {
  return sum_of(counters,
                {Counter::kGlobalLoadSectors, Counter::kGlobalStoreSectors, Counter::kGlobalAtomicSectors,
                 Counter::kGlobalReductionSectors, Counter::kLocalLoadSectors, Counter::kLocalStoreSectors,
                 Counter::kAsyncCopySectors});
}

// What each line touches for the first time comes from the card's memory.
double distinct_bytes(const LaunchResult& launched) {
  double bytes = 0;
  for (const LineAccess& access : launched.accesses)
    if (access.space == MemorySpace::kGlobal) bytes += static_cast<double>(access.distinct_bytes);
  return bytes;
}

double shared_wavefronts(const Counters& counters) {
  return sum_of(counters, {Counter::kSharedLoadWavefronts, Counter::kSharedStoreWavefronts,
                           Counter::kSharedAtomicWavefronts});
}

// Multiprocessors that have a block at all.
double busy_multiprocessors(const Card& card, const Occupancy& occupancy) {
  const double blocks = occupancy.waves * occupancy.blocks * card.multiprocessors;
  return std::min<double>(card.multiprocessors, blocks);
}

std::vector<Limit> limits_of(const Card& card, const Occupancy& occupancy, const LaunchResult& launched) {
  const Counters& counters = *launched.counters;
  const double clocks = clocks_per_second(card), busy = busy_multiprocessors(card, occupancy);
  return {
      {"dram", 0, distinct_bytes(launched), card.dram_gb_per_second * 1e9, "bytes"},
      {"l2", 0, global_sectors(counters) * kSectorBytes, card.l2_bytes_per_clock * clocks, "bytes"},
      {"l1", 0, global_sectors(counters) * kSectorBytes, card.l1_bytes_per_clock * clocks * busy, "bytes"},
      {"shared", 0, shared_wavefronts(counters), clocks * busy, "wavefronts"},
      {"issue", 0, counters.value_or_zero(Counter::kWarpInstructions), card.schedulers * clocks * busy,
       "instructions"},
      {"launch", 0, 1, 1e6 / card.launch_us, "launches"},
  };
}

double seconds_alone(const Limit& limit) { return limit.amount / limit.rate; }

}  // namespace

std::optional<Prediction> predict(const Card& card, const Occupancy& occupancy,
                                  const LaunchResult& launched) {
  if (!launched.counters || !launched.completed || occupancy.blocks == 0) return std::nullopt;
  Prediction prediction{.card = card.id, .occupancy = occupancy};
  prediction.limits = limits_of(card, occupancy, launched);
  std::ranges::stable_sort(prediction.limits, std::ranges::greater{}, seconds_alone);
  const bool is_launch = prediction.limits.front().resource == "launch";
  const double seconds = seconds_alone(prediction.limits.front()) + (is_launch ? 0 : card.launch_us * 1e-6);
  prediction.ms = seconds * 1e3;
  for (Limit& limit : prediction.limits) limit.share = seconds_alone(limit) / seconds;
  return prediction;
}

}  // namespace cudalab::vgpu
