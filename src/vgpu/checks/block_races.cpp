#include "vgpu/checks/block_races.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

#include "messages/vgpu.h"

namespace cudalab::vgpu {
namespace {

Dim3 thread_at(const Launch& launch, std::uint32_t number) {
  return position_in(launch.request->spec.block, number);
}

// Whether to advise a block barrier for races between lanes of one warp: if the block has only one warp, or
// the kernel uses block barriers. In other kernels, each warp works on its own.
bool synchronises_blocks(const Launch& launch) {
  if (launch.request->spec.block.volume() <= kWarpSize) return true;
  return std::ranges::any_of(launch.program->basic_blocks, [](const BasicBlockInfo& block) {
    return block.end == BasicBlockInfo::End::kBarrier;
  });
}

// Atomic operations do not order other accesses. They help if both accesses write, but not if one access
// reads what the other updates. With mbarriers, warps may have different roles and never all reach one
// __syncthreads().
Message fix_between(bool same_warp, bool atomic_meets_plain_write, bool at_mbarriers) {
  if (same_warp) return msg::advice_syncwarp();
  if (at_mbarriers) return msg::advice_barrier_or_pipeline();
  return atomic_meets_plain_write ? msg::advice_syncthreads_or_atomics() : msg::advice_syncthreads();
}

SpanAccess access_of(const ObservedAccess& access, const SpanPart& part, std::uint32_t now) {
  const std::uint32_t at = part.span->lanes + part.skip;
  return {.lane = access.footprint->lane.data() + at,
          .other = access.footprint->other.data() + at,
          .count = part.count,
          .record = access.record,
          .now = now};
}

SpanAccess whole_access(const ObservedAccess& access, std::uint32_t now) {
  const Footprint& footprint = *access.footprint;
  return {.lane = footprint.lane.data(),
          .other = footprint.other.data(),
          .granule = footprint.granule.data(),
          .count = footprint.granule.size(),
          .record = access.record,
          .now = now};
}

constexpr TickRange kAnyTick{0, std::numeric_limits<std::uint32_t>::max()};

// Calls `use` with each run of contiguous granules and its cells; once for the whole access if the granules
// are listed.
template <class Use>
void for_each_row(const ObservedAccess& access, const ShadowCells& cells, std::uint32_t now, Use use) {
  if (!access.footprint->granule.empty()) return use(whole_access(access, now), cells);
  for (const Footprint::Span& span : access.footprint->spans)
    use(access_of(access, {&span, 0, span.count, {}}, now), cells.from(static_cast<std::size_t>(span.first)));
}

}  // namespace

void BlockRaces::check(const ObservedAccess& access, const SpanPart& part) {
  const std::uint32_t settled = clock_->settled();
  const bool is_recent = access.writes() ? any_touched_since(part.cells, access_of(access, part, 0), settled)
                                         : any_written_since(part.cells, part.count, settled);
  if (is_recent) check_each(access, part);
}

void BlockRaces::remember(const ObservedAccess& access, const SpanPart& part) {
  const SpanAccess span = access_of(access, part, clock_->now(access.warp->index));
  if (access.writes())
    remember_writes(part.cells, span);
  else
    remember_reads(part.cells, span, clock_->settled(), kAnyTick);
}

bool BlockRaces::remember_read(const ObservedAccess& access, const ShadowCells& cells, TickRange expected) {
  bool as_expected = true;
  for_each_row(access, cells, clock_->now(access.warp->index),
               [&](const SpanAccess& row, const ShadowCells& at) {
                 as_expected &= remember_reads(at, row, clock_->settled(), expected);
               });
  return as_expected;
}

bool BlockRaces::is_first_touch(const ObservedAccess& access, const ShadowCells& cells) const {
  bool touched = false;
  for_each_row(access, cells, 0, [&](const SpanAccess& row, const ShadowCells& at) {
    touched |= any_touched_since(at, row, clock_->settled());
  });
  return !touched;
}

void BlockRaces::remember_write(const ObservedAccess& access, const ShadowCells& cells) {
  for_each_row(access, cells, clock_->now(access.warp->index),
               [&](const SpanAccess& row, const ShadowCells& at) { remember_writes(at, row); });
}

void BlockRaces::check_each(const ObservedAccess& access, const SpanPart& part) {
  const ShadowCells& cells = part.cells;
  for (std::uint32_t g = 0; g < part.count; ++g) {
    const std::int64_t granule = part.span->first + part.skip + g;
    const std::size_t at = part.span->lanes + part.skip + g;
    const Earlier earlier[] = {{true, cells.write[g], cells.write_tick[g]},
                               {false, cells.read[g], cells.read_tick[g]},
                               {false, cells.other[g], cells.other_tick[g]}};
    for (const Earlier& one : earlier) {
      if (!one.was_write && !access.writes()) break;
      std::uint32_t lane = access.footprint->lane[at];
      if (part.span->is_shared && is_same_thread(access.record + lane, one.record))
        lane = access.footprint->other[at];
      if (!conflicts(access, access.record + lane, one)) continue;
      const int number = static_cast<int>(lane >> kLaneShift);
      if (one.was_write && stores_what_is_there(access, number, granule)) continue;
      report(access, number, granule, one);
      break;
    }
  }
}

// Atomic operations do not race with each other. Volatile accesses race with each other only within a warp,
// where warp-synchronous code relies on them instead of __syncwarp().
bool BlockRaces::conflicts(const ObservedAccess& access, std::uint32_t record, const Earlier& earlier) const {
  if (is_same_thread(record, earlier.record)) return false;
  const std::uint32_t warp = access.warp->index, other = thread_of_record(earlier.record) / kWarpSize;
  const bool both_synchronise = access.synchronises() && (earlier.record & (kAtomic | kStrong));
  if (both_synchronise && (warp != other || ((record | earlier.record) & kAtomic))) return false;
  return !clock_->has_seen(warp, other, earlier.tick);
}

void BlockRaces::report(const ObservedAccess& access, int lane, std::int64_t granule,
                        const Earlier& earlier) {
  const Launch& launch = *access.warp->launch;
  const std::uint64_t address = access.element_address(lane, granule);
  const Place place = place_of(launch, address);
  const std::uint32_t earlier_line = earlier.record & kLineMask;
  const bool same_warp = thread_of_record(earlier.record) / kWarpSize == access.warp->index;
  const bool both_write = earlier.was_write && access.writes();
  const bool is_with_plain_load = access.is_plain_load() || (!earlier.was_write && is_plain(earlier.record));
  const RacePair pair = both_write && is_same_line(access.line(), earlier_line) ? RacePair::kWriters
                        : same_warp                                             ? RacePair::kLanes
                                                                                : RacePair::kThreads;
  log_->add(
      kind_, access.line(), earlier_line, place.identity,
      [&] {
        Hazard hazard = hazard_at(access.inst, *access.warp, lane, kind_);
        hazard.other = launch.program->lines[earlier_line];
        hazard.address = address;
        hazard.buffer = place.name;
        const Argument element = place.element(access.element_bytes());
        const ThreadIndex other{thread_at(launch, thread_of_record(earlier.record))};
        if (pair == RacePair::kWriters) {
          hazard.what = msg::race_both_write(element, Address{address}, ThreadIndex{hazard.thread}, other);
          hazard.fix = msg::advice_one_writer();
          return hazard;
        }
        const bool wants_syncwarp = same_warp && !synchronises_blocks(launch);
        const bool is_any_atomic = access.is_atomic() || (earlier.record & kAtomic);
        if (both_write && !is_any_atomic && access.line() != 0 && earlier_line != 0) {
          hazard.what = msg::race_two_writers(element, Address{address}, ThreadIndex{hazard.thread}, other,
                                              line_argument(*hazard.other, hazard.where));
          hazard.fix =
              wants_syncwarp ? msg::advice_one_writer_or_syncwarp() : msg::advice_one_writer_or_syncthreads();
          return hazard;
        }
        const auto race = wants_syncwarp ? msg::race_no_syncwarp : msg::race_no_barrier;
        hazard.what = race(verb_of(access), element, Address{address}, other,
                           past_verb_of(earlier.was_write, earlier.record));
        if (same_warp && !wants_syncwarp && launch.request->spec.block.volume() > kWarpSize)
          hazard.fix = msg::advice_syncthreads_where_all_come();
        else
          hazard.fix =
              fix_between(wants_syncwarp, both_write && is_any_atomic, access.warp->block->phase_events > 0);
        return hazard;
      },
      pair, is_with_plain_load);
}

// ---- proxies -----------------------------------------------------------------------------------------
// "fence.proxy.async should be used to synchronize between the generic proxy and the async proxy" (PTX ISA,
// "Async proxy").
void BlockRaces::check_proxy_fence(const ObservedAccess& access, const ShadowCells& cells,
                                   std::uint32_t since) {
  for (const Footprint::Span& span : access.footprint->spans)
    for (std::uint32_t g = 0; g < span.count; ++g) {
      const std::int64_t granule = span.first + g;
      const std::uint32_t tick = cells.write_tick[granule], writer = cells.write[granule];
      if (tick <= since || clock_->is_fenced_for_proxy(thread_of_record(writer) / kWarpSize, tick)) continue;
      return report_unfenced(access, granule, writer);
    }
}

namespace {

// Element size of stores to shared memory on this source line; 0 if there are none.
int stored_bytes(const Program& program, std::uint32_t line) {
  for (const SiteInfo& site : program.sites)
    if (site.kind == SiteKind::kSharedStore && site.source == line)
      return site.bytes_per_lane / std::max<int>(site.vector, 1);
  return 0;
}

}  // namespace

void BlockRaces::report_unfenced(const ObservedAccess& access, std::int64_t granule, std::uint32_t writer) {
  const Launch& launch = *access.warp->launch;
  const int lane = std::countr_zero(access.pattern->active);
  const std::uint64_t address = access.base + (static_cast<std::uint64_t>(granule) << access.granule_shift);
  const Place place = place_of(launch, address);
  const std::uint32_t line = writer & kLineMask;
  log_->add(kind_, access.line(), line, place.identity, [&] {
    Hazard hazard = hazard_at(access.inst, *access.warp, lane, kind_);
    hazard.other = launch.program->lines[line];
    hazard.address = address;
    hazard.buffer = place.name;
    hazard.what = msg::race_proxy_fence(place.element(stored_bytes(*launch.program, line)), Address{address},
                                        ThreadIndex{thread_at(launch, thread_of_record(writer))});
    hazard.fix = msg::advice_proxy_fence();
    return hazard;
  });
}

// ---- one instruction ---------------------------------------------------------------------------------
void BlockRaces::check_overlap(const ObservedAccess& access) {
  if (access.mode != AccessMode::kWrite || access.is_atomic() || !access.footprint->overlaps) return;
  const std::size_t bytes = std::size_t{1} << access.granule_shift;
  const std::uint32_t granules =
      static_cast<std::uint32_t>(access.info->bytes_per_lane) >> access.granule_shift;
  const Pattern& pattern = *access.pattern;
  for (std::uint32_t left = pattern.active & (pattern.active - 1); left; left &= left - 1) {
    const int lane = std::countr_zero(left);
    const std::int64_t first = pattern.offset[lane] >> access.granule_shift;
    for (std::uint32_t before = pattern.active & ((1u << lane) - 1); before; before &= before - 1) {
      const int other = std::countr_zero(before);
      for (std::uint32_t g = 0; g < granules; ++g) {
        const std::byte* mine = stored_value(access, lane, first + g);
        const std::byte* theirs = stored_value(access, other, first + g);
        if (mine && theirs && std::memcmp(mine, theirs, bytes) != 0)
          return report_overlap(access, lane, other);
      }
    }
  }
}

void BlockRaces::report_overlap(const ObservedAccess& access, int lane, int other) {
  const Launch& launch = *access.warp->launch;
  const std::uint64_t address = access.base + static_cast<std::uint64_t>(access.pattern->offset[lane]);
  const Place place = place_of(launch, address);
  const auto make = [&] {
    Hazard hazard = hazard_at(access.inst, *access.warp, lane, kind_);
    hazard.other = hazard.where;
    hazard.address = address;
    hazard.buffer = place.name;
    hazard.what =
        msg::race_both_write(place.element(access.element_bytes()), Address{address},
                             ThreadIndex{hazard.thread}, ThreadIndex{thread_of(*access.warp, other)});
    hazard.fix = msg::advice_one_writer();
    return hazard;
  };
  log_->add(kind_, access.line(), access.line(), place.identity, make, RacePair::kWriters);
}

}  // namespace cudalab::vgpu
