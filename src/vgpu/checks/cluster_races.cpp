#include "vgpu/checks/cluster_races.h"

#include <algorithm>

namespace cudalab::vgpu {

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
