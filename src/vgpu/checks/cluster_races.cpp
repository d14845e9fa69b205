// Finds races within a cluster and with asynchronous copies, ordered by cluster barriers and mbarriers.
#include "vgpu/checks/cluster_races.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <optional>
#include <utility>

#include "messages/vgpu.h"

namespace cudalab::vgpu {

void MbarrierOrder::initialise(const Inst* inst, const Warp& warp, int lane, std::uint64_t offset,
                               const ClusterClock& clock, const BlockClock& own) {
  objects_[offset] = {.thread = warp.index * kWarpSize + static_cast<std::uint32_t>(lane),
                      .rank = clock.rank(),
                      .tick = own.now(warp.index),
                      .line = inst->source,
                      .arriving = {},
                      .complete = {}};
}

void MbarrierOrder::use(const Inst* inst, const Warp& warp, int lane, std::uint64_t offset,
                        const ClusterClock& clock, HazardLog& log) const {
  const auto found = objects_.find(offset);
  if (found == objects_.end()) return;
  const Object& object = found->second;
  const std::uint32_t thread = warp.index * kWarpSize + static_cast<std::uint32_t>(lane);
  if (object.rank == clock.rank() && object.thread == thread) return;
  if (clock.has_seen(warp.index, object.rank, object.thread / kWarpSize, object.tick)) return;
  const Place place = place_of(*warp.launch, kSharedWindow + offset);
  log.add(HazardKind::kSharedRace, inst->source, object.line, place.identity, [&] {
    Hazard hazard = hazard_at(inst, warp, lane, HazardKind::kSharedRace);
    hazard.other = warp.launch->program->lines[object.line];
    hazard.address = kSharedWindow + offset;
    hazard.buffer = place.name;
    hazard.what = msg::mbarrier_used_unordered(place.element(sizeof(std::uint64_t)));
    hazard.fix = object.rank == clock.rank() ? msg::advice_syncthreads_behind_init()
                                             : msg::advice_cluster_sync_behind_init();
    return hazard;
  });
}

void MbarrierOrder::arrive(const Warp& warp, std::uint64_t offset, ClusterClock& clock) {
  clock.arrive(warp.index, objects_[offset].arriving);
}

void MbarrierOrder::complete_phase(std::uint64_t offset) {
  Object& object = objects_[offset];
  object.complete = std::exchange(object.arriving, {});
}

void MbarrierOrder::pass(const Warp& warp, std::uint64_t offset, ClusterClock& clock) const {
  const auto found = objects_.find(offset);
  if (found != objects_.end()) clock.pass(warp.index, found->second.complete);
}

namespace {

struct Range {
  std::uint64_t begin, bytes;
};

struct Meeting {
  int lane;
  std::uint64_t address;
};

// The first granule of an access that lies in the range.
std::optional<Meeting> first_touch(const ObservedAccess& access, Range range) {
  for (const Footprint::Span& span : access.footprint->spans)
    for (std::uint32_t g = 0; g < span.count; ++g) {
      const std::uint64_t address =
          access.base +
          static_cast<std::uint64_t>((span.first + g) * (std::int64_t{1} << access.granule_shift));
      if (address - range.begin < range.bytes)
        return Meeting{static_cast<int>(access.footprint->lane[span.lanes + g] >> kLaneShift), address};
    }
  return std::nullopt;
}

// The message for a conflict (its slots: verb, element, address), and the suggested fix.
struct Finding {
  std::function<Message(Argument access, Argument element, Argument address)> what;
  Message fix;
};

Finding destination_in_flight() { return {msg::race_bulk_destination, msg::advice_wait_for_bulk_copy()}; }
Finding source_in_flight() { return {msg::race_bulk_source, msg::advice_wait_for_bulk_read()}; }
Finding own_copy_in_flight() { return {msg::race_own_async_copy, msg::advice_wait_for_own_copy()}; }
Finding copy_in_flight(const ThreadIndex& other) {
  return {[other](Argument access, Argument element, Argument address) {
            return msg::race_other_async_copy(std::move(access), std::move(element), std::move(address),
                                              other);
          },
          msg::advice_wait_then_meet()};
}

void report(const ObservedAccess& access, const Inst* copy, const Meeting& at, const Finding& finding,
            HazardLog& log) {
  const Launch& launch = *access.warp->launch;
  const Place place = place_of(launch, at.address);
  const bool in_shared = at.address - kSharedWindow < kWindowBytes;
  const HazardKind kind = in_shared ? HazardKind::kSharedRace : HazardKind::kGlobalRace;
  log.add(kind, access.line(), copy->source, place.identity, [&] {
    Hazard hazard = hazard_at(access.inst, *access.warp, at.lane, kind);
    hazard.other = launch.program->lines[copy->source];
    hazard.address = at.address;
    hazard.buffer = place.name;
    hazard.what = finding.what(verb_of(access), place.element(access.element_bytes()), Address{at.address});
    hazard.fix = finding.fix;
    return hazard;
  });
}

}  // namespace

void BulkWatch::end(std::uint64_t number) {
  std::erase_if(in_flight_, [&](const Copy& copy) { return copy.number == number; });
}

void BulkWatch::end_reading(std::uint64_t number) {
  for (Copy& copy : in_flight_)
    if (copy.number == number) copy.from = 0;
}

void BulkWatch::check_each(const ObservedAccess& access, HazardLog& log) const {
  for (const Copy& copy : in_flight_) {
    if (copy.is_reduction && access.is_atomic()) continue;
    if (const auto at = first_touch(access, {copy.to, copy.bytes})) {
      report(access, copy.inst, *at, destination_in_flight(), log);
      continue;
    }
    if (!access.writes() || copy.from == 0) continue;
    if (const auto at = first_touch(access, {copy.from, copy.bytes}))
      report(access, copy.inst, *at, source_in_flight(), log);
  }
}

namespace {

// A lane that accesses the destination of its own pending copy.
std::optional<Meeting> own_touch(const ObservedAccess& access, const AsyncCopy& copy) {
  const Pattern& pattern = *access.pattern;
  for (std::uint32_t left = copy.lanes & pattern.active; left; left &= left - 1) {
    const int lane = std::countr_zero(left);
    const std::uint64_t address = access.base + static_cast<std::uint64_t>(pattern.offset[lane]);
    const std::uint64_t end = address + static_cast<std::uint64_t>(access.info->bytes_per_lane);
    if (address < copy.to[lane] + copy.inst->imm && copy.to[lane] < end) return Meeting{lane, address};
  }
  return std::nullopt;
}

bool meet(const ObservedAccess& access, const AsyncCopy& copy) {
  const std::uint64_t from = access.base + static_cast<std::uint64_t>(access.pattern->low);
  const std::uint64_t to = access.base + static_cast<std::uint64_t>(access.pattern->high);
  return from < copy.end && copy.begin < to;
}

// Reports a race with a pending copy that another thread issued before the access.
bool report_copy_of_other(const ObservedAccess& access, const Warp& issuer, const AsyncCopy& copy,
                          HazardLog& log) {
  for (std::uint32_t left = copy.lanes; left; left &= left - 1) {
    const int lane = std::countr_zero(left);
    const auto at = first_touch(access, {copy.to[lane], copy.inst->imm});
    if (!at) continue;
    report(access, copy.inst, *at, copy_in_flight({thread_of(issuer, lane)}), log);
    return true;
  }
  return false;
}

}  // namespace

bool check_copies_of_others(const ObservedAccess& access, const BlockClock& clock, HazardLog& log) {
  if (access.info->kind == SiteKind::kAsyncStore) return false;
  for (const Warp& issuer : access.warp->block->warps)
    for (const AsyncCopy& copy : issuer.copies.in_flight)
      if (meet(access, copy) && clock.has_seen(access.warp->index, issuer.index, copy.tick) &&
          report_copy_of_other(access, issuer, copy, log))
        return true;
  return false;
}

bool check_own_copies(const ObservedAccess& access, HazardLog& log) {
  if (access.info->kind == SiteKind::kAsyncStore) return false;  // the arrival of a copy itself
  for (const AsyncCopy& copy : access.warp->copies.in_flight)
    if (const auto at = own_touch(access, copy)) {
      report(access, copy.inst, *at, own_copy_in_flight(), log);
      return true;
    }
  return false;
}

struct ClusterRaces::Visit {
  const ObservedAccess& access;
  std::uint32_t owner;  // block whose shared memory is accessed
  const ClusterClock& clock;
  HazardLog& log;
  // Whether the two accesses may be concurrent. Accesses by a block to its own shared memory are left to
  // block_races.h.
  bool conflicts(const Access& earlier, std::uint32_t lane) const {
    if (earlier.tick == 0) return false;
    const bool same_block = earlier.rank == clock.rank();
    const std::uint32_t record = access.record + lane;
    if (same_block && (clock.rank() == owner || is_same_thread(record, earlier.record))) return false;
    if (access.synchronises() && (earlier.record & (kAtomic | kStrong))) return false;
    return !clock.has_seen(access.warp->index, earlier.rank, thread_of_record(earlier.record) / kWarpSize,
                           earlier.tick);
  }
};

void ClusterRaces::start_block() { std::ranges::fill(granules_, Granule{}); }

const ClusterRaces::Access* ClusterRaces::find_conflict(const Visit& visit, const Granule& granule,
                                                        std::uint32_t lane) const {
  if (visit.conflicts(granule.write, lane)) return &granule.write;
  if (!visit.access.writes()) return nullptr;
  if (visit.conflicts(granule.read, lane)) return &granule.read;
  return visit.conflicts(granule.other, lane) ? &granule.other : nullptr;
}

void ClusterRaces::observe(const ObservedAccess& access, std::uint32_t owner, const ClusterClock& clock,
                           const BlockClock& own, HazardLog& log) {
  const Visit visit{access, owner, clock, log};
  const auto first = static_cast<std::int64_t>((access.base - kSharedWindow) >> access.granule_shift);
  const std::uint32_t now = own.now(access.warp->index);
  for (const Footprint::Span& span : access.footprint->spans)
    for (std::uint32_t g = 0; g < span.count; ++g) {
      const std::int64_t relative = span.first + g;
      Granule& granule = granules_.at(static_cast<std::size_t>(first + relative));
      const std::uint32_t lane = access.footprint->lane[span.lanes + g];
      if (const Access* earlier = find_conflict(visit, granule, lane)) {
        const bool was_write = earlier == &granule.write;
        if (!was_write || !stores_what_is_there(access, static_cast<int>(lane >> kLaneShift), relative))
          report(visit, *earlier, was_write, lane, relative);
      }
      const Access mine{now, access.record + lane, clock.rank()};
      if (access.writes())
        granule = {.write = mine, .read = {}, .other = {}};
      else
        (granule.read.tick == 0 ? granule.read : granule.other) = mine;
    }
}

void ClusterRaces::remember_landing(const ObservedAccess& access, std::uint32_t owner,
                                    const BlockClock& own) {
  const auto first = static_cast<std::int64_t>((access.base - kSharedWindow) >> access.granule_shift);
  for (const Footprint::Span& span : access.footprint->spans)
    for (std::uint32_t g = 0; g < span.count; ++g) {
      const std::uint32_t record = access.record + access.footprint->lane[span.lanes + g];
      granules_.at(static_cast<std::size_t>(first + span.first + g)) = {
          .write = {own.now(access.warp->index), record, owner}, .read = {}, .other = {}};
    }
}

void ClusterRaces::report(const Visit& visit, const Access& earlier, bool was_write, std::uint32_t lane,
                          std::int64_t granule) const {
  const ObservedAccess& access = visit.access;
  const Launch& launch = *access.warp->launch;
  const auto block_of_rank = [&](std::uint32_t rank) {
    return BlockIndex{access.warp->block->cluster->blocks[rank]->index};
  };
  const std::uint64_t address = access.base + static_cast<std::uint64_t>(granule << access.granule_shift);
  const Place place = place_of(launch, address);
  const std::uint32_t earlier_line = earlier.record & kLineMask;
  visit.log.add(HazardKind::kSharedRace, access.line(), earlier_line, place.identity, [&] {
    Hazard hazard =
        hazard_at(access.inst, *access.warp, static_cast<int>(lane >> kLaneShift), HazardKind::kSharedRace);
    hazard.other = launch.program->lines[earlier_line];
    hazard.address = address;
    hazard.buffer = place.name;
    const Argument element = place.element(access.element_bytes());
    const Message then = past_verb_of(was_write, earlier.record);
    hazard.what =
        earlier.rank == visit.clock.rank()
            ? msg::race_cluster_own_block(verb_of(access), element, block_of_rank(visit.owner), then)
            : msg::race_cluster(verb_of(access), element, block_of_rank(visit.owner),
                                block_of_rank(earlier.rank), then);
    hazard.fix = msg::advice_cluster_sync_between();
    return hazard;
  });
}

}  // namespace cudalab::vgpu
