#include "vgpu/counters/patterns.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "vgpu/counters/site_kinds.h"

namespace cudalab::vgpu {
namespace {

// ---- shape of a pattern ------------------------------------------------------------------------------
void find_extent(Pattern& entry, int bytes) {
  entry.low = entry.high = 0;
  for (std::uint32_t left = entry.active; left; left &= left - 1) {
    const std::int64_t offset = entry.offset[std::countr_zero(left)];
    entry.low = std::min(entry.low, offset);
    entry.high = std::max(entry.high, offset);
  }
  constexpr std::int64_t kFar = 1ll << 40;  // no buffer is that large; keeps sums of offsets in range
  if (entry.low < -kFar || entry.high > kFar) entry.regular = false;
  entry.high += bytes;
}

// The step that more than half of the neighbours share: a block narrower than a warp has others between its
// rows.
void find_stride(Pattern& entry) {
  const std::uint32_t neighbours = entry.active & (entry.active << 1);  // lanes after an active one
  const auto step = [&entry](int lane) { return entry.offset[lane] - entry.offset[lane - 1]; };
  int votes = 0, agreeing = 0;
  for (std::uint32_t left = neighbours; left; left &= left - 1) {
    const std::int64_t voted = step(std::countr_zero(left));
    if (votes == 0) entry.stride = voted;
    votes += voted == entry.stride ? 1 : -1;
  }
  for (std::uint32_t left = neighbours; left; left &= left - 1)
    agreeing += step(std::countr_zero(left)) == entry.stride;
  entry.has_stride = 2 * agreeing > std::popcount(entry.active) - 1;
}

bool has_rows(const Pattern& entry, int lanes, std::int64_t step) {
  for (int lane = 0; lane < kWarpSize; ++lane)
    if (lane % lanes != 0 && entry.offset[lane] - entry.offset[lane - 1] != step) return false;
  return true;
}

void find_movement(Pattern& entry, int bytes) {
  entry.movement = Movement::kScattered;
  if (entry.active != kAllLanes) return;
  for (const int lanes : {32, 16, 8}) {
    const bool contiguous = has_rows(entry, lanes, bytes);
    if (!contiguous && !has_rows(entry, lanes, 0)) continue;
    entry.movement = contiguous ? Movement::kContiguousRows : Movement::kUniformRows;
    entry.row_lanes = static_cast<std::uint8_t>(lanes);
    return;
  }
}

// An access of no bytes is counted with the load that it is merged into.
void set_cost(Pattern& entry, std::span<const std::uint64_t, kWarpSize> addresses, const SiteInfo& site) {
  const WarpAccess access{addresses, entry.active, site.counted_bytes()};
  const AccessCost cost = access.bytes_per_lane == 0 ? AccessCost{} : cost_of(site, access);
  entry.transactions = cost.transactions;
  entry.fewest = cost.fewest;
  entry.distinct_bytes = cost.distinct_bytes;
  entry.requests = cost.requests;
  entry.loads = cost.loads;
}

// ---- hits --------------------------------------------------------------------------------------------
void add_hits_to_totals(SiteState& site, Pattern& entry) {
  if (entry.active == 0 || entry.hits == 0) return;
  const std::uint64_t hits = std::exchange(entry.hits, 0);
  site.totals.executions += hits;
  if (site.info->counted_bytes() == 0) return;
  site.totals.requests += hits * entry.requests;
  site.totals.transactions += hits * entry.transactions;
  site.totals.fewest += hits * entry.fewest;
  site.totals.distinct_bytes += hits * entry.distinct_bytes;
  site.totals.loads.add(entry.loads, hits);
  site.totals.lanes += hits * static_cast<std::uint64_t>(std::popcount(entry.active));
  if (entry.has_stride) site.strides.add(entry.stride, hits);
}

bool matches(const Pattern& entry, const LaneAddresses& addresses, std::uint32_t lanes, std::uint64_t base) {
  if (entry.active != lanes) return false;
  std::uint64_t differs = 0;
  for (int lane = 0; lane < kWarpSize; ++lane)
    differs |=
        (lanes >> lane & 1) ? (addresses[lane] - base) ^ static_cast<std::uint64_t>(entry.offset[lane]) : 0;
  return differs == 0;
}

}  // namespace

Pattern& learn_pattern(SiteState& site, Pattern& entry, std::span<const std::uint64_t, kWarpSize> addresses,
                       std::uint32_t active, std::uint64_t residue) {
  add_hits_to_totals(site, entry);
  const int bytes = site.info->bytes_per_lane;
  const std::uint64_t base = addresses[std::countr_zero(active)];
  entry.active = active;
  entry.residue = static_cast<std::uint32_t>(residue);
  entry.regular = true;
  entry.has_footprint = false;
  for (int lane = 0; lane < kWarpSize; ++lane) {
    const bool is_active = active >> lane & 1;
    entry.offset[lane] = is_active ? static_cast<std::int64_t>(addresses[lane] - base) : 0;
    entry.narrow[lane] = static_cast<std::int32_t>(entry.offset[lane]);
    // The cost of a misaligned access is not counted: it never takes place.
    if (is_active &&
        addresses[lane] % static_cast<std::uint64_t>(std::bit_floor(static_cast<unsigned>(bytes))))
      entry.regular = false;
  }
  find_extent(entry, bytes);
  find_stride(entry);
  find_movement(entry, bytes);
  set_cost(entry, addresses, *site.info);
  entry.hits = 1;
  return entry;
}

const Pattern& count_access(SiteState& site, const LaneAddresses& addresses, std::uint32_t lanes) {
  const std::uint64_t base = addresses[std::countr_zero(lanes)];
  const auto residue = static_cast<std::uint32_t>(base) & site.info->residue_mask;
  Pattern& entry = site.patterns[base >> site.info->index_shift & (kPatternsPerSite - 1)];
  if (entry.residue != residue || !matches(entry, addresses, lanes, base))
    return learn_pattern(site, entry, addresses, lanes, residue);
  ++entry.hits;
  return entry;
}

void add_hits_to_totals(SiteState& site) {
  for (Pattern& entry : site.patterns) add_hits_to_totals(site, entry);
}

}  // namespace cudalab::vgpu
