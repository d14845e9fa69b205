#include "vgpu/counters/patterns.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "vgpu/counters/access_costs.h"
#include "vgpu/levels.h"

namespace cudalab::vgpu {
namespace {

// ---- shape of a pattern ------------------------------------------------------------------------------
// Computes offsets, their range, and whether all lanes are aligned. The cost of a misaligned access does not
// matter: the access fails.
CUDALAB_EACH_LEVEL void take_offsets(Pattern& entry, const std::uint64_t* __restrict addresses, int bytes) {
  const std::uint64_t base = addresses[std::countr_zero(entry.active)];
  const std::uint64_t low_bits = std::bit_floor(static_cast<unsigned>(bytes)) - 1;
  std::uint64_t misaligned = 0;
  std::int64_t low = 0, high = 0;
  for (int lane = 0; lane < kWarpSize; ++lane) {
    const std::uint64_t is_active = 0 - std::uint64_t{entry.active >> lane & 1};
    const auto offset = static_cast<std::int64_t>((addresses[lane] - base) & is_active);
    misaligned |= addresses[lane] & is_active & low_bits;
    low = std::min(low, offset);
    high = std::max(high, offset);
    entry.offset[lane] = offset;
    entry.narrow[lane] = static_cast<std::int32_t>(offset);
  }
  constexpr std::int64_t kFar = 1ll << 40;  // larger than any buffer; keeps sums of offsets in range
  entry.regular = misaligned == 0 && low >= -kFar && high <= kFar;
  entry.low = low;
  entry.high = high + bytes;
}

struct Steps {
  std::uint32_t equal_last;  // lanes with the same step as the previous lane
  std::uint32_t as_first;    // lanes with the same step as lane 1
};

CUDALAB_EACH_LEVEL Steps compare_steps(const Pattern& entry) {
  const std::int64_t* offset = entry.offset.data();
  const std::int64_t first = offset[1] - offset[0];
  Steps steps{0, 0};
  for (int lane = 2; lane < kWarpSize; ++lane) {
    const std::int64_t step = offset[lane] - offset[lane - 1], last = offset[lane - 1] - offset[lane - 2];
    steps.equal_last |= std::uint32_t{step == last} << lane;
    steps.as_first |= std::uint32_t{step == first} << lane;
  }
  return steps;
}

// Lanes that must agree on a step: more than half of the distances between active lanes.
int majority_of(const Pattern& entry) { return (std::popcount(entry.active) - 1) / 2 + 1; }

// Finds the majority step by voting, without branches: they would be as unpredictable as the addresses.
CUDALAB_EACH_LEVEL void vote_for_stride(Pattern& entry, std::uint32_t neighbours) {
  std::array<std::int64_t, kWarpSize> steps;
  int count = 0;
  for (std::uint32_t left = neighbours; left; left &= left - 1) {
    const int lane = std::countr_zero(left);
    steps[count++] = entry.offset[lane] - entry.offset[lane - 1];
  }
  std::int64_t elected = 0, votes = 0, agreeing = 0;
  for (int i = 0; i < count; ++i) {
    elected = votes == 0 ? steps[i] : elected;
    votes += steps[i] == elected ? 1 : -1;
  }
  for (int i = 0; i < count; ++i) agreeing += steps[i] == elected;
  entry.stride = elected;
  entry.has_stride = agreeing >= majority_of(entry);
}

// Computes each lane's step, truncated to 32 bits. Returns the lanes with the same step as the lane `first`.
CUDALAB_EACH_LEVEL std::uint32_t take_steps(const std::int64_t* __restrict offset, int first,
                                            std::uint32_t* __restrict cut) {
  const std::int64_t step_of_first = offset[first] - offset[first - 1];
  std::uint32_t as_first = 0;
  cut[0] = 0;
  for (int lane = 1; lane < kWarpSize; ++lane) {
    const std::int64_t step = offset[lane] - offset[lane - 1];
    cut[lane] = static_cast<std::uint32_t>(step);
    as_first |= std::uint32_t{step == step_of_first} << lane;
  }
  return as_first;
}

// Usually the first step is the majority, or there is none. Lanes that share a step repeat an earlier lane's
// step, except for the first.
void find_stride_of_some(Pattern& entry) {
  const std::uint32_t neighbours = entry.active & (entry.active << 1);  // lanes after an active one
  const int majority = majority_of(entry);
  if (std::popcount(neighbours) < majority) return;
  const int first = std::countr_zero(neighbours);
  EachLane cut;
  const std::uint32_t as_first = take_steps(entry.offset.data(), first, cut.data()) & neighbours;
  if (std::popcount(as_first) >= majority) {
    entry.stride = entry.offset[first] - entry.offset[first - 1];
    entry.has_stride = true;
  } else if (std::popcount(repeated_lanes(cut, kWarpSize) & neighbours) + 1 >= majority) {
    vote_for_stride(entry, neighbours);
  }
}

// A block narrower than a warp has other steps between its rows. If more than half of 31 steps are equal, the
// first step is one of them, or two neighbouring steps are.
void find_stride(Pattern& entry) {
  entry.has_stride = false;
  if (entry.active != kAllLanes) return find_stride_of_some(entry);
  const Steps steps = compare_steps(entry);
  if (2 * (1 + std::popcount(steps.as_first)) > kWarpSize - 1) {
    entry.stride = entry.offset[1];
    entry.has_stride = true;
  } else if (steps.equal_last != 0) {
    vote_for_stride(entry, kAllLanes << 1);
  }
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

// A load of 0 counted bytes is merged into another load, which is counted instead.
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

CUDALAB_EACH_LEVEL bool matches(const Pattern& entry, const LaneAddresses& addresses, std::uint32_t lanes,
                                std::uint64_t base) {
  if (entry.active != lanes) return false;
  std::uint64_t differs = 0;
  for (int lane = 0; lane < kWarpSize; ++lane)
    differs |= ((addresses[lane] - base) ^ static_cast<std::uint64_t>(entry.offset[lane])) &
               (0 - std::uint64_t{lanes >> lane & 1});
  return differs == 0;
}

// ---- kept patterns -----------------------------------------------------------------------------------
// Each lane has its own odd factor, so permuted lanes give a different sum.
CUDALAB_EACH_LEVEL std::uint32_t hash_of(const NewAccess& access) {
  constexpr std::uint32_t kGolden = 0x9e37'79b1;
  const std::uint64_t* addresses = access.addresses.data();
  std::uint32_t sum = (access.active * kGolden) ^ access.residue;
  for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
    const auto offset = static_cast<std::uint32_t>(addresses[lane] - access.base);
    sum += (offset & (0 - (access.active >> lane & 1))) * ((2 * lane + 1) * kGolden);
  }
  return ((sum ^ sum >> 15) * kGolden) | 1;
}

std::size_t slot_of(std::uint32_t hash) { return hash >> (32 - KnownPatterns::kSlotBits); }

// The entry in which to store a new pattern. A pattern that recurs (its hash equals that of its slot's last
// new pattern) is kept from now on; any other pattern replaces the cached one.
Pattern& place_for(SiteState& site, const NewAccess& access, std::uint32_t hash) {
  Pattern& newest = site.patterns[place_of(site, access.base)];
  if (!site.known && newest.active != 0) site.known = std::make_unique<KnownPatterns>();
  if (hash == 0) return newest;
  const std::size_t slot = slot_of(hash);
  KnownPatterns& known = *site.known;
  if (std::exchange(known.seen[slot], hash) != hash) return newest;
  if (!known.kept[slot]) known.kept[slot] = std::make_unique<Pattern>();
  known.hash[slot] = hash;
  return *known.kept[slot];
}

// The hash for finding the access among the site's kept patterns; 0 if lookups have rarely succeeded.
std::uint32_t hash_of(const NewAccess& access, SiteState& site) {
  if (!site.known) return 0;
  int& credit = site.known->credit;
  if (--credit < 0) {
    if (credit > -KnownPatterns::kRest) return 0;
    credit = KnownPatterns::kTrial;
  }
  return hash_of(access);
}

// The kept pattern, counted; nullptr if there is none.
Pattern* find_known_pattern(SiteState& site, const NewAccess& access, std::uint32_t hash) {
  if (hash == 0) return nullptr;
  KnownPatterns& known = *site.known;
  const std::size_t slot = slot_of(hash);
  Pattern* kept = known.kept[slot].get();
  if (!kept || known.hash[slot] != hash || kept->residue != access.residue) return nullptr;
  if (!matches(*kept, access.addresses, access.active, access.base)) return nullptr;
  known.credit = std::min(known.credit + KnownPatterns::kGain, KnownPatterns::kMost);
  // Found twice in a row, so it may continue: cache it, so the next access needs no hash.
  const std::size_t place = place_of(site, access.base);
  if (std::exchange(known.last[place], static_cast<std::uint8_t>(slot)) != slot) return ++kept->hits, kept;
  Pattern& newest = site.patterns[place];
  add_hits_to_totals(site, newest);
  newest.take(*kept);
  newest.hits = 1;
  return &newest;
}

// Prefetches the lanes' data while a new pattern is being counted.
void ask_for_data(const SiteState& site, const NewAccess& access) {
  const Allocation* allocation = site.allocation;
  if (!allocation) return;
  const auto host = reinterpret_cast<std::uintptr_t>(allocation->host.get());
  for (int lane = 0; lane < kWarpSize; ++lane)
    if (access.active >> lane & 1)
      __builtin_prefetch(reinterpret_cast<const void*>(host + (access.addresses[lane] - allocation->base)));
}

Pattern& learn_pattern(SiteState& site, const NewAccess& access, std::uint32_t hash) {
  Pattern& entry = place_for(site, access, hash);
  add_hits_to_totals(site, entry);
  const int bytes = site.info->bytes_per_lane;
  entry.active = access.active;
  entry.residue = access.residue;
  entry.has_footprint = false;
  take_offsets(entry, access.addresses.data(), bytes);
  find_stride(entry);
  find_movement(entry, bytes);
  set_cost(entry, access.addresses, *site.info);
  entry.hits = 1;
  return entry;
}

}  // namespace

void Pattern::take(const Pattern& other) {
  offset = other.offset, narrow = other.narrow;
  active = other.active, residue = other.residue;
  low = other.low, high = other.high;
  movement = other.movement, row_lanes = other.row_lanes, regular = other.regular;
  transactions = other.transactions, fewest = other.fewest, distinct_bytes = other.distinct_bytes;
  requests = other.requests, loads = other.loads;
  stride = other.stride, has_stride = other.has_stride;
  hits = 0, has_footprint = false;
}

Pattern& count_other(SiteState& site, const NewAccess& access) {
  const std::uint32_t hash = hash_of(access, site);
  if (Pattern* known = find_known_pattern(site, access, hash)) return *known;
  ask_for_data(site, access);
  return learn_pattern(site, access, hash);
}

const Pattern& count_access(SiteState& site, const LaneAddresses& addresses, std::uint32_t lanes) {
  const std::uint64_t base = addresses[std::countr_zero(lanes)];
  const auto residue = static_cast<std::uint32_t>(base) & site.info->residue_mask;
  Pattern& newest = site.patterns[place_of(site, base)];
  if (newest.residue == residue && matches(newest, addresses, lanes, base)) {
    ++newest.hits;
    return newest;
  }
  return count_other(site, {addresses, lanes, base, residue});
}

const Pattern& shape_of_access(SiteState& site, const LaneAddresses& addresses, std::uint32_t lanes,
                               int bytes) {
  const std::uint64_t base = addresses[std::countr_zero(lanes)];
  const auto width = static_cast<std::uint32_t>(bytes);
  Pattern& entry = site.patterns[place_of(site, base)];
  if (entry.residue == width && matches(entry, addresses, lanes, base)) return entry;
  entry.active = lanes;
  entry.residue = width;
  entry.has_footprint = false;
  take_offsets(entry, addresses.data(), bytes);
  entry.distinct_bytes = count_distinct_bytes({addresses, lanes, bytes});
  return entry;
}

void add_hits_to_totals(SiteState& site) {
  for (Pattern& entry : site.patterns) add_hits_to_totals(site, entry);
  if (!site.known) return;
  for (const std::unique_ptr<Pattern>& kept : site.known->kept)
    if (kept) add_hits_to_totals(site, *kept);
}

}  // namespace cudalab::vgpu
