// Finds races within a cluster and with asynchronous copies, ordered by cluster barriers and mbarriers.
#include "vgpu/checks/cluster_races.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <utility>

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
    hazard.what =
        fmt::format("uses the mbarrier at {}, which another thread initialised with no barrier in between",
                    place.text(sizeof(std::uint64_t)));
    hazard.fix = object.rank == clock.rank() ? "put __syncthreads() behind the initialisation"
                                             : "put cluster.sync() behind the initialisation";
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

// Where an access first touches a range.
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

struct Words {
  std::string_view what, fix;
};
constexpr Words kDestination{"to which a bulk copy is still on its way",
                             "wait for the copy first: let every thread that uses the data wait on its "
                             "barrier, or wait for its group"};
constexpr Words kSource{
    "from which a bulk copy may still be reading",
    "wait for the copy's group (cp.async.bulk.wait_group.read) before its source changes"};

constexpr Words kOwnCopy{
    "to which the thread's cp.async is still on its way",
    "wait for it first: cp.async.wait_group (__pipeline_wait_prior(), cuda::pipeline's consumer_wait()), or, "
    "where it arrives at an mbarrier, wait on that"};

constexpr std::string_view kWaitThenMeet =
    "let every thread wait for its copies (cp.async.wait_group, __pipeline_wait_prior(), cuda::pipeline's "
    "consumer_wait(), cooperative_groups::wait()), and put __syncthreads() between that and the access";

void report(const ObservedAccess& access, const Inst* copy, const Meeting& at, const Words& words,
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
    hazard.what = fmt::format("{} {} ({:#x}), {}", verb_of(access), place.text(access.element_bytes()),
                              at.address, words.what);
    hazard.fix = words.fix;
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
      report(access, copy.inst, *at, kDestination, log);
      continue;
    }
    if (!access.writes() || copy.from == 0) continue;
    if (const auto at = first_touch(access, {copy.from, copy.bytes}))
      report(access, copy.inst, *at, kSource, log);
  }
}

namespace {

// A lane that touches what it is having copied itself.
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

// Of a copy that the access comes after.
bool report_copy_of_other(const ObservedAccess& access, const Warp& issuer, const AsyncCopy& copy,
                          HazardLog& log) {
  for (std::uint32_t left = copy.lanes; left; left &= left - 1) {
    const int lane = std::countr_zero(left);
    const auto at = first_touch(access, {copy.to[lane], copy.inst->imm});
    if (!at) continue;
    const std::string what =
        fmt::format("to which the cp.async of {} is still on its way: nobody has waited for it",
                    thread_text(thread_of(issuer, lane)));
    report(access, copy.inst, *at, {what, kWaitThenMeet}, log);
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
  if (access.info->kind == SiteKind::kAsyncStore) return false;  // it arrives
  for (const AsyncCopy& copy : access.warp->copies.in_flight)
    if (const auto at = own_touch(access, copy)) {
      report(access, copy.inst, *at, kOwnCopy, log);
      return true;
    }
  return false;
}

struct ClusterRaces::Visit {
  const ObservedAccess& access;
  std::uint32_t owner;  // whose shared memory it is
  const ClusterClock& clock;
  HazardLog& log;
  // What that warp may be doing at the same time: accesses by its own block to its own memory are for
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
    return block_text(access.warp->block->cluster->blocks[rank]->index);
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
    hazard.what = fmt::format(
        "{} {} of {}, which {} {} with no barrier of the cluster in between", verb_of(access),
        place.text(access.element_bytes()), block_of_rank(visit.owner),
        earlier.rank == visit.clock.rank() ? "another thread of its block" : block_of_rank(earlier.rank),
        past_verb_of(was_write, earlier.record));
    hazard.fix = "put cluster.sync() between the two accesses";
    return hazard;
  });
}

}  // namespace cudalab::vgpu
