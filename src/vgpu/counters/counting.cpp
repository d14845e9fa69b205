#include "vgpu/counters/counting.h"

#include <algorithm>
#include <array>

#include "vgpu/counters/access_costs.h"
#include "vgpu/counters/patterns.h"

namespace cudalab::vgpu {
namespace {

void add_totals(SiteTotals& to, const SiteTotals& from) {
  to.executions += from.executions;
  to.requests += from.requests;
  to.transactions += from.transactions;
  to.fewest += from.fewest;
  to.distinct_bytes += from.distinct_bytes;
  to.lanes += from.lanes;
  to.loads.add(from.loads);
}

// The GPU counts the loads of atomics that are loops together with ordinary loads.
SiteTotals with_loads_of(SiteTotals loads, const SiteTotals& atomics) {
  loads.requests += atomics.loads.requests;
  loads.transactions += atomics.loads.transactions;
  loads.fewest += atomics.loads.fewest;
  loads.distinct_bytes += atomics.loads.distinct_bytes;
  return loads;
}

double percent_of_sector_bytes(const SiteTotals& totals) {
  if (totals.transactions == 0) return 0;
  return 100.0 * static_cast<double>(totals.distinct_bytes) /
         (kSectorBytes * static_cast<double>(totals.transactions));
}

std::tuple<std::string, int, MemorySpace, AccessKind, int> line_key(const LineAccess& access) {
  return {access.where.file, access.where.line, access.space, access.kind, access.bytes_per_lane};
}

bool same_hazard(const Hazard& a, const Hazard& b) {
  if (a.kind != b.kind || a.buffer != b.buffer) return false;
  const bool is_turned = a.pair != RacePair::kNone && b.pair != RacePair::kNone && a.other && b.other &&
                         a.where == *b.other && *a.other == b.where;
  return is_turned || (a.where == b.where && a.other == b.other);
}

// Of equal races, keeps the most specific pair of accesses.
void add_to(Hazard& known, Hazard hazard) {
  const std::uint64_t occurrences = known.occurrences + hazard.occurrences;
  const bool are_all_with_loads = known.is_with_plain_load && hazard.is_with_plain_load;
  if (hazard.pair > known.pair) known = std::move(hazard);
  known.occurrences = occurrences;
  known.is_with_plain_load = are_all_with_loads;
}

bool in_block_order(const Hazard& a, const Hazard& b) {
  const auto key = [](const Hazard& h) {
    return std::tuple(h.block.z, h.block.y, h.block.x, h.where.line, h.thread.z, h.thread.y, h.thread.x);
  };
  return key(a) < key(b);
}

}  // namespace

Tally::Tally(const Program& program)
    : program_(program), counts_(program.basic_blocks.size()), sites_(program.sites.size()) {}

void Tally::add(const std::vector<BasicBlockCount>& counts, std::vector<SiteState>& sites,
                std::vector<Hazard>& hazards) {
  for (std::size_t i = 0; i < counts.size(); ++i) {
    counts_[i].warps += counts[i].warps;
    counts_[i].lanes += counts[i].lanes;
    counts_[i].divergent += counts[i].divergent;
  }
  for (std::size_t i = 0; i < sites.size(); ++i) {
    add_hits_to_totals(sites[i]);
    add_totals(sites_[i].totals, sites[i].totals);
    sites_[i].strides.add(sites[i].strides);
  }
  hazards_.insert(hazards_.end(), hazards.begin(), hazards.end());
}

Counters Tally::counters() const {
  std::array<SiteTotals, kSiteKinds> by_kind{};
  for (std::size_t i = 0; i < sites_.size(); ++i)
    add_totals(by_kind[static_cast<std::size_t>(program_.sites[i].kind)], sites_[i].totals);
  const auto of = [&](SiteKind kind) -> const SiteTotals& { return by_kind[static_cast<std::size_t>(kind)]; };

  Counters counters;
  const auto set = [&](Counter counter, std::uint64_t value) {
    counters.set(counter, static_cast<double>(value));
  };
  const SiteTotals load = with_loads_of(of(SiteKind::kGlobalLoad), of(SiteKind::kGlobalAtomic)),
                   &store = of(SiteKind::kGlobalStore);
  set(Counter::kGlobalLoadRequests, load.requests);
  set(Counter::kGlobalLoadSectors, load.transactions);
  counters.set(Counter::kGlobalLoadBytesPercent, percent_of_sector_bytes(load));
  set(Counter::kGlobalStoreRequests, store.requests);
  set(Counter::kGlobalStoreSectors, store.transactions);
  counters.set(Counter::kGlobalStoreBytesPercent, percent_of_sector_bytes(store));
  const SiteTotals shared_load = with_loads_of(of(SiteKind::kSharedLoad), of(SiteKind::kSharedAtomic)),
                   &shared_store = of(SiteKind::kSharedStore);
  set(Counter::kSharedLoadInstructions, shared_load.requests);
  set(Counter::kSharedLoadRequests, shared_load.executions);
  set(Counter::kSharedLoadWavefronts, shared_load.transactions);
  set(Counter::kSharedLoadConflicts, shared_load.transactions - shared_load.fewest);
  set(Counter::kSharedStoreInstructions, shared_store.requests);
  set(Counter::kSharedStoreRequests, shared_store.executions);
  set(Counter::kSharedStoreWavefronts, shared_store.transactions);
  set(Counter::kSharedStoreConflicts, shared_store.transactions - shared_store.fewest);
  const SiteTotals &atomic = of(SiteKind::kGlobalAtomic), &reduction = of(SiteKind::kGlobalReduction);
  set(Counter::kGlobalAtomicRequests, atomic.requests);
  set(Counter::kGlobalAtomicSectors, atomic.transactions);
  set(Counter::kGlobalReductionRequests, reduction.requests);
  set(Counter::kGlobalReductionSectors, reduction.transactions);
  set(Counter::kSharedAtomicWavefronts, of(SiteKind::kSharedAtomic).transactions);
  const SiteTotals &local_load = of(SiteKind::kLocalLoad), &local_store = of(SiteKind::kLocalStore);
  set(Counter::kLocalLoadRequests, local_load.requests);
  set(Counter::kLocalLoadSectors, local_load.transactions);
  set(Counter::kLocalStoreRequests, local_store.requests);
  set(Counter::kLocalStoreSectors, local_store.transactions);
  set(Counter::kAsyncCopyRequests, of(SiteKind::kAsyncLoad).requests);
  set(Counter::kAsyncCopySectors, of(SiteKind::kAsyncLoad).transactions);
  set(Counter::kTextureRequests, of(SiteKind::kTexture).requests + of(SiteKind::kSurfaceLoad).requests +
                                     of(SiteKind::kSurfaceStore).requests);
  set_execution_counters(counters);
  return counters;
}

void Tally::set_execution_counters(Counters& counters) const {
  LineExecution sum;
  for (const LineExecution& line : executions()) {
    sum.warp_instructions += line.warp_instructions;
    sum.thread_instructions += line.thread_instructions;
    sum.branches += line.branches;
    sum.divergent_branches += line.divergent_branches;
    sum.barriers += line.barriers;
  }
  const auto set = [&](Counter counter, std::uint64_t value) {
    counters.set(counter, static_cast<double>(value));
  };
  set(Counter::kBarriers, sum.barriers);
  set(Counter::kLaneExchanges, lane_exchanges());
  set(Counter::kBranches, sum.branches);
  set(Counter::kDivergentBranches, sum.divergent_branches);
  set(Counter::kWarpInstructions, sum.warp_instructions);
  set(Counter::kThreadInstructions, sum.thread_instructions);
  if (sum.warp_instructions > 0)
    counters.set(Counter::kActiveLanes,
                 static_cast<double>(sum.thread_instructions) / static_cast<double>(sum.warp_instructions));
}

std::uint64_t Tally::lane_exchanges() const {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < counts_.size(); ++i)
    sum += counts_[i].warps * program_.basic_blocks[i].lane_exchanges;
  return sum;
}

std::vector<LineExecution> Tally::executions() const {
  std::vector<LineExecution> lines(program_.lines.size());
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    const BasicBlockCount& count = counts_[i];
    const BasicBlockInfo& info = program_.basic_blocks[i];
    for (const auto& [line, instructions] : info.lines) {
      lines[line].warp_instructions += count.warps * instructions;
      lines[line].thread_instructions += count.lanes * instructions;
    }
    LineExecution& end = lines[info.end_line];
    if (info.end == BasicBlockInfo::End::kBarrier) end.barriers += count.warps;
    if (info.end != BasicBlockInfo::End::kBranch) continue;
    end.branches += count.warps;
    end.divergent_branches += count.divergent;
  }
  for (std::size_t i = 0; i < lines.size(); ++i) lines[i].where = program_.lines[i];
  std::erase_if(lines, [](const LineExecution& line) { return line.warp_instructions + line.barriers == 0; });
  std::sort(lines.begin(), lines.end(), [](const LineExecution& a, const LineExecution& b) {
    return std::tie(a.where.file, a.where.line) < std::tie(b.where.file, b.where.line);
  });
  return lines;
}

std::vector<LineAccess> Tally::accesses() const {
  std::map<std::tuple<std::string, int, MemorySpace, AccessKind, int>, std::pair<LineAccess, SiteSum>> lines;
  for (std::size_t i = 0; i < sites_.size(); ++i) {
    const SiteTotals& totals = sites_[i].totals;
    if (totals.requests == 0) continue;
    const SiteInfo& info = program_.sites[i];
    const SiteClass& site_class = class_of(info.kind);
    LineAccess access;
    access.where = program_.lines[info.source];
    access.space = site_class.space;
    access.kind = site_class.access;
    access.bytes_per_lane = info.bytes_per_lane;
    auto& [line, sum] = lines.try_emplace(line_key(access), access, SiteSum{}).first->second;
    add_totals(sum.totals, totals);
    sum.strides.add(sites_[i].strides);
  }
  std::vector<LineAccess> result;
  for (auto& [key, entry] : lines) {
    auto& [line, sum] = entry;
    line.requests = sum.totals.requests;
    line.transactions = sum.totals.transactions;
    line.fewest_transactions = sum.totals.fewest;
    line.distinct_bytes = sum.totals.distinct_bytes;
    line.lanes = sum.totals.lanes;
    line.lane_stride_bytes = sum.strides.usual(sum.totals.requests);
    result.push_back(line);
  }
  return result;
}

std::vector<SiteTotals> Tally::site_totals() const {
  std::vector<SiteTotals> totals;
  for (const SiteSum& site : sites_) totals.push_back(site.totals);
  return totals;
}

std::vector<Hazard> Tally::hazards() const {
  std::vector<Hazard> sorted = hazards_, result;
  std::stable_sort(sorted.begin(), sorted.end(), in_block_order);
  for (Hazard& hazard : sorted) {
    const auto known = std::find_if(result.begin(), result.end(),
                                    [&](const Hazard& other) { return same_hazard(other, hazard); });
    if (known != result.end())
      add_to(*known, std::move(hazard));
    else
      result.push_back(std::move(hazard));
  }
  return result;
}

}  // namespace cudalab::vgpu
