// Predicts the time of a launch without one of its faults: sets the cost of the fault to its minimum, and
// computes all resources again.
#include "vgpu/time/faults.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "vgpu/time/occupancy.h"
#include "vgpu/time/time_model.h"

namespace cudalab::vgpu {
namespace {

constexpr double kWorthMentioning = 1.02;  // a few partial tiles at a matrix's edge are no fault

double as_double(std::uint64_t count) { return static_cast<double>(count); }

// A single lane of each warp has nothing to coalesce with.
bool is_wasteful(const SiteTotals& totals) {
  return totals.lanes > totals.requests &&
         as_double(totals.transactions) > kWorthMentioning * as_double(totals.fewest);
}

bool is_store(SiteKind kind) { return kind == SiteKind::kGlobalStore || kind == SiteKind::kLocalStore; }
bool is_load(SiteKind kind) {
  return kind == SiteKind::kGlobalLoad || kind == SiteKind::kLocalLoad || kind == SiteKind::kAsyncLoad;
}

double transactions_of(const LaunchCosts& costs, const Program& program, bool (*is_one)(SiteKind)) {
  double sum = 0;
  for (std::size_t i = 0; i < costs.sites.size(); ++i)
    if (is_one(program.sites[i].kind)) sum += as_double(costs.sites[i].transactions);
  return sum;
}

// ---- global memory -----------------------------------------------------------------------------------

// Hit rates if the request's sectors were contiguous: the number of sectors from L2 and DRAM stays the same,
// up to all of them.
SiteHits coalesced(const SiteHits& hits, double sectors, double fewest) {
  if (hits.asked <= 0) return hits;
  SiteHits made{.asked = 1};
  made.l2_reads = std::min(1.0, sectors * hits.l2_reads / hits.asked / fewest);
  made.dram_reads = std::min(1.0, sectors * hits.dram_reads / hits.asked / fewest);
  made.brought = std::min(1.0, sectors * hits.brought / hits.asked / fewest);
  const double waited = hits.l1 + hits.l2 + hits.dram, missed = std::max(made.l2_reads, made.dram_reads);
  if (waited <= 0) return made;
  made.dram = made.dram_lines = std::min(hits.dram / waited, missed);
  made.l2 = missed - made.dram;
  made.l1 = 1 - missed;
  return made;
}

void coalesce(std::size_t site, LaunchCosts& costs) {
  constexpr double kSectorsOfLine = 4, kLinesOfPiece = 2;
  SiteTotals& totals = costs.sites[site];
  const double fewest = as_double(totals.fewest), requests = as_double(totals.requests);
  costs.traffic.of_site[site] =
      coalesced(costs.traffic.of_site[site], as_double(totals.transactions), fewest);
  totals.transactions = totals.fewest;
  totals.distinct_bytes = std::max<std::uint64_t>(totals.distinct_bytes, kSectorBytes * totals.fewest);
  Touches touches{.lines = std::max(requests, fewest / kSectorsOfLine)};
  touches.pieces = std::max(requests, touches.lines / kLinesOfPiece);
  touches.passes = touches.lines;
  costs.touches[site] = touches;
}

// Scales the total traffic to the reduced transactions, because the caches were replayed with more.
void fit_traffic(const LaunchCosts& before, const Program& program, LaunchCosts& costs) {
  Traffic& traffic = costs.traffic;
  const double loaded = transactions_of(before, program, is_load),
               stored = transactions_of(before, program, is_store);
  if (loaded > 0) traffic.loads *= transactions_of(costs, program, is_load) / loaded;
  if (stored <= 0) return;
  const double part = transactions_of(costs, program, is_store) / stored;
  traffic.stores *= part;
  traffic.l2_writes *= part;
  traffic.dram_writes = std::min(traffic.dram_writes, traffic.stores);
}

// Empty if no site of these kinds is wasteful.
std::optional<LaunchCosts> with_coalesced(const LaunchCosts& costs, const Program& program,
                                          bool (*is_one)(SiteKind)) {
  std::optional<LaunchCosts> made;
  for (std::size_t i = 0; i < costs.sites.size(); ++i) {
    if (!is_one(program.sites[i].kind) || !is_wasteful(costs.sites[i])) continue;
    if (!made) made = costs;
    coalesce(i, *made);
  }
  if (made) fit_traffic(costs, program, *made);
  return made;
}

std::optional<LaunchCosts> with_coalesced_loads(const LaunchCosts& costs, const Program& program) {
  return with_coalesced(costs, program, [](SiteKind kind) {
    return kind == SiteKind::kGlobalLoad || kind == SiteKind::kAsyncLoad;
  });
}

std::optional<LaunchCosts> with_coalesced_stores(const LaunchCosts& costs, const Program& program) {
  std::optional<LaunchCosts> made =
      with_coalesced(costs, program, [](SiteKind kind) { return kind == SiteKind::kGlobalStore; });
  if (made) {
    const double before = transactions_of(costs, program, is_store);
    const double wasteful_before = before - transactions_of(*made, program, is_store);
    made->slice_writes *= before > 0 ? std::clamp(1 - wasteful_before / before, 0.0, 1.0) : 1;
  }
  return made;
}

// Assumes registers instead of local memory: no traffic.
std::optional<LaunchCosts> without_local_memory(const LaunchCosts& costs, const LaunchFeatures& features,
                                                const Program& program) {
  std::optional<LaunchCosts> made;
  if (features.spill_loads + features.spill_stores > 0) made = costs;
  for (std::size_t i = 0; i < costs.sites.size(); ++i) {
    const SiteKind kind = program.sites[i].kind;
    if ((kind != SiteKind::kLocalLoad && kind != SiteKind::kLocalStore) || costs.sites[i].requests == 0)
      continue;
    if (!made) made = costs;
    made->sites[i] = {};
    made->touches[i] = {};
    made->traffic.of_site[i] = {};
  }
  if (!made) return made;
  made->has_spills = false;
  fit_traffic(costs, program, *made);
  return made;
}

// ---- other memory spaces -----------------------------------------------------------------------------

// Minimum wavefronts for a kind of site. Atomics in shared memory are loops around a compare-and-swap;
// without conflicts one round suffices.
std::optional<LaunchCosts> with_fewest(const LaunchCosts& costs, const Program& program, SiteKind kind) {
  std::optional<LaunchCosts> made;
  for (std::size_t i = 0; i < costs.sites.size(); ++i) {
    const SiteTotals& totals = costs.sites[i];
    const bool has_rounds = kind == SiteKind::kSharedAtomic && totals.loads.requests > totals.requests;
    if (program.sites[i].kind != kind || (!is_wasteful(totals) && !has_rounds)) continue;
    if (!made) made = costs;
    made->sites[i].transactions = std::min(totals.transactions, totals.fewest);
    if (has_rounds) made->sites[i].loads.requests = totals.requests;
  }
  return made;
}

// Each block first accumulates its updates to a word, then updates the word once.
std::optional<LaunchCosts> with_one_update_per_block(const LaunchCosts& costs, const LaunchFeatures& features,
                                                     const Program& program) {
  constexpr double kWordsOfCell = 128, kFewer = 0.7;
  const MostWanted& most = costs.most_wanted;
  const double words = 1 + (kWordsOfCell - 1) * (1 - most.of_one_word);
  if (most.updates <= 0 || features.blocks * words > kFewer * most.updates) return std::nullopt;
  const double part = features.blocks * words / most.updates;
  LaunchCosts made = costs;
  made.most_wanted.updates *= part;
  made.slice_updates *= part;
  const auto reduced = [part](std::uint64_t count) {
    return static_cast<std::uint64_t>(std::ceil(as_double(count) * part));
  };
  for (std::size_t i = 0; i < costs.sites.size(); ++i) {
    const SiteKind kind = program.sites[i].kind;
    if (kind != SiteKind::kGlobalAtomic && kind != SiteKind::kGlobalReduction) continue;
    made.sites[i].transactions = reduced(costs.sites[i].transactions);
    made.sites[i].fewest = std::min(made.sites[i].transactions, costs.sites[i].fewest);
  }
  return made;
}

// ---- instructions ------------------------------------------------------------------------------------

// Idle lanes are filled with lanes of other warps that take the same path. Code that a single lane runs for
// its block is left unchanged.
std::optional<LaunchCosts> without_divergence(const LaunchCosts& costs, double lanes_of_warp) {
  constexpr double kSingleLane = 1.5, kFull = 0.98;
  const bool diverges =
      std::ranges::any_of(costs.counts, [](const auto& count) { return count.divergent > 0; });
  if (!diverges) return std::nullopt;
  LaunchCosts made = costs;
  bool is_changed = false;
  for (BasicBlockCount& count : made.counts) {
    const double full = as_double(count.warps) * lanes_of_warp, lanes = as_double(count.lanes);
    if (lanes < kSingleLane * as_double(count.warps) || lanes > kFull * full) continue;
    count.warps = static_cast<std::uint64_t>(std::ceil(lanes / lanes_of_warp));
    is_changed = true;
  }
  return is_changed ? std::optional(std::move(made)) : std::nullopt;
}

std::optional<LaunchCosts> without_barriers(const LaunchCosts& costs, const LaunchFeatures& features,
                                            const Program& program) {
  if (features.barriers <= 0) return std::nullopt;
  LaunchCosts made = costs;
  made.code = program.timed;
  for (TimedOp& op : made.code->ops) op.is_barrier = false;
  return made;
}

// The highest execution count of a basic block per warp: the rounds of its longest loop.
double rounds_of_warp(const LaunchCosts& costs, double warps) {
  double most = 0;
  for (const BasicBlockCount& count : costs.counts) most = std::max(most, as_double(count.warps) / warps);
  return most;
}

// ---- one prediction ----------------------------------------------------------------------------------

class Remedies {
 public:
  Remedies(const Launch& launch, const Prediction& prediction, const LaunchCosts& costs,
           const LaunchFeatures& features, std::span<AccessTrace* const> traces)
      : launch_(launch), prediction_(prediction), costs_(costs), features_(features), traces_(traces) {}

  void try_costs(Fault fault, const std::optional<LaunchCosts>& costs) {
    if (costs) add(fault, features_of(launch_, prediction_.occupancy, *costs, traces_));
  }
  void add(Fault fault, const LaunchFeatures& features) {
    add(fault, features, prediction_.occupancy.blocks);
  }
  void add(Fault fault, const LaunchFeatures& features, int resident_blocks) {
    add(fault, predicted_us(*launch_.card, resident_blocks, features) * 1e-3);
  }
  void add(Fault fault, double ms) {
    if (ms < prediction_.ms) times_.push_back({fault, ms});
  }

  // Assumes as many warps as an SM can hold.
  void try_full_occupancy() {
    const Occupancy& occupancy = prediction_.occupancy;
    const bool is_limited =
        occupancy.limited_by == OccupancyLimit::kRegisters || occupancy.limited_by == OccupancyLimit::kShared;
    if (!is_limited || occupancy.warps >= occupancy.most_warps) return;
    const int warps = std::max(1, static_cast<int>(features_.warps));
    add(Fault::kOccupancy, features_, std::max(occupancy.blocks, occupancy.most_warps / warps));
  }

  // Splits loop rounds among enough blocks to fill the GPU.
  void try_more_blocks() {
    constexpr double kFewRounds = 1.5;
    const double warps = features_.blocks * features_.warps, rounds = rounds_of_warp(costs_, warps);
    const double waves = prediction_.occupancy.waves;
    if (waves <= 0 || waves >= 0.5 || rounds < kFewRounds) return;
    const double times = std::min(1 / waves, rounds);
    LaunchCosts costs = costs_;
    for (BasicBlockCount& count : costs.counts) {
      const double own = as_double(count.warps) / warps;
      count.warps = static_cast<std::uint64_t>(std::ceil(std::max(std::min(own, 1.0), own / times) * warps));
    }
    LaunchFeatures features = features_of(launch_, prediction_.occupancy, costs, traces_);
    features.blocks *= times;
    features.barriers *= times;
    for (float& use : features.use) use *= static_cast<float>(times);
    add(Fault::kFewBlocks, features);
  }

  void try_floats() {
    const auto use_of = [](LaunchFeatures& features, Unit unit) -> float& {
      return features.use[static_cast<std::size_t>(unit)];
    };
    LaunchFeatures features = features_;
    if (use_of(features, Unit::kFp64) <= 0) return;
    use_of(features, Unit::kFp32) += std::exchange(use_of(features, Unit::kFp64), 0.0f);
    use_of(features, Unit::kThreeReads) += std::exchange(use_of(features, Unit::kThreeReads64), 0.0f);
    add(Fault::kDoubles, features);
  }

  // Assumes four independent chains in each thread.
  void try_independent_chains() {
    constexpr double kChains = 4;
    if (rounds_of_warp(costs_, features_.blocks * features_.warps) < kChains) return;
    LaunchFeatures features = features_;
    for (double& wait : features.waits) wait /= kChains;
    for (double& wait : features.longest_block_waits) wait /= kChains;
    add(Fault::kLatency, features);
  }

  std::vector<TimeWithout> times() && {
    std::ranges::stable_sort(times_, {}, &TimeWithout::ms);
    return std::move(times_);
  }

 private:
  const Launch& launch_;
  const Prediction& prediction_;
  const LaunchCosts& costs_;
  const LaunchFeatures& features_;
  std::span<AccessTrace* const> traces_;
  std::vector<TimeWithout> times_;
};

}  // namespace

std::vector<TimeWithout> times_without_faults(const Launch& launch, const Prediction& prediction,
                                              const LaunchCosts& costs, const LaunchFeatures& features,
                                              std::span<AccessTrace* const> traces) {
  if (features.path.is_known()) return {};
  constexpr double kNearlyAll = 0.9;
  const Program& program = *launch.program;
  Remedies remedies(launch, prediction, costs, features, traces);
  remedies.add(Fault::kLaunch, prediction.ms - launch.card->launch_us * 1e-3);
  if (started_us(*launch.card, features) * 1e-3 > kNearlyAll * prediction.ms)
    return std::move(remedies).times();
  remedies.try_costs(Fault::kGlobalLoads, with_coalesced_loads(costs, program));
  remedies.try_costs(Fault::kGlobalStores, with_coalesced_stores(costs, program));
  remedies.try_costs(Fault::kSharedLoads, with_fewest(costs, program, SiteKind::kSharedLoad));
  remedies.try_costs(Fault::kSharedStores, with_fewest(costs, program, SiteKind::kSharedStore));
  remedies.try_costs(Fault::kSharedAtomics, with_fewest(costs, program, SiteKind::kSharedAtomic));
  remedies.try_costs(Fault::kConstants, with_fewest(costs, program, SiteKind::kConstantLoad));
  remedies.try_costs(Fault::kGlobalAtomics, with_one_update_per_block(costs, features, program));
  remedies.try_costs(Fault::kLocalMemory, without_local_memory(costs, features, program));
  remedies.try_costs(
      Fault::kDivergence,
      without_divergence(costs, std::min<double>(kWarpSize, features.threads / features.warps)));
  remedies.try_costs(Fault::kBarriers, without_barriers(costs, features, program));
  remedies.try_full_occupancy();
  remedies.try_more_blocks();
  remedies.try_floats();
  remedies.try_independent_chains();
  return std::move(remedies).times();
}

}  // namespace cudalab::vgpu
