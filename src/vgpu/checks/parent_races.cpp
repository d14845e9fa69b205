#include "vgpu/checks/parent_races.h"

#include <fmt/format.h>

namespace cudalab::vgpu {
namespace {

// Calls visit(granule relative to the first lane's, its number in all of memory, the lane) for each granule.
template <class Visit>
void for_each_granule(const ObservedAccess& access, Visit visit) {
  for (const Footprint::Span& span : access.footprint->spans)
    for (std::uint32_t g = 0; g < span.count; ++g) {
      const std::int64_t granule = span.first + g;
      const auto number = (access.base >> access.granule_shift) + static_cast<std::uint64_t>(granule);
      visit(granule, number, access.footprint->lane[span.lanes + g]);
    }
}

}  // namespace

void ParentAccesses::note(const ObservedAccess& access, std::uint32_t block, std::uint32_t tick) {
  for_each_granule(access, [&](std::int64_t, std::uint64_t number, std::uint32_t lane) {
    if (granules_.size() >= kMost && !granules_.contains(number)) return;
    Granule& granule = granules_[number];
    (access.writes() ? granule.write : granule.read) = {block, tick, access.record + lane};
  });
}

bool ParentAccesses::is_unordered(const Access& earlier, const LaunchMoment& moment) {
  if (earlier.tick == 0) return false;
  if (earlier.block != moment.block) return !moment.has_taken_over;
  return earlier.tick > moment.settled &&
         earlier.tick > moment.seen[thread_of_record(earlier.record) / kWarpSize];
}

void ParentAccesses::check(const ObservedAccess& access, const LaunchMoment& moment, HazardLog& log) const {
  if (granules_.empty()) return;
  bool is_reported = false;
  for_each_granule(access, [&](std::int64_t granule, std::uint64_t number, std::uint32_t lane) {
    if (is_reported) return;
    const auto found = granules_.find(number);
    if (found == granules_.end()) return;
    const auto races = [&](const Access& earlier, bool was_write) {
      const bool both_atomic = access.synchronises() && (earlier.record & (kAtomic | kStrong));
      return (was_write || access.writes()) && !both_atomic && is_unordered(earlier, moment);
    };
    const bool with_write = races(found->second.write, true);
    if (!with_write && !races(found->second.read, false)) return;
    is_reported = true;
    report(access, granule, static_cast<int>(lane >> kLaneShift),
           with_write ? found->second.write : found->second.read, with_write, moment, log);
  });
}

void ParentAccesses::report(const ObservedAccess& access, std::int64_t granule, int lane,
                            const Access& earlier, bool was_write, const LaunchMoment& moment,
                            HazardLog& log) const {
  const Launch& launch = *access.warp->launch;
  const std::uint64_t address = access.element_address(lane, granule);
  const Place place = place_of(launch, address);
  const std::uint32_t line = earlier.record & kLineMask;
  const std::uint32_t warp = thread_of_record(earlier.record) / kWarpSize;
  const bool is_later = earlier.block == moment.block && warp == moment.warp;
  log.add(HazardKind::kGlobalRace, access.line(), line, place.identity, [&] {
    Hazard hazard = hazard_at(access.inst, *access.warp, lane, HazardKind::kGlobalRace);
    hazard.other = launch.program->lines[line];
    hazard.address = address;
    hazard.buffer = place.name;
    hazard.what =
        fmt::format("{} {} ({:#x}), which the kernel that launched this one {} {}", verb_of(access),
                    place.text(access.element_bytes()), address, past_verb_of(was_write, earlier.record),
                    is_later ? "after the launch: nothing there waits for this kernel"
                             : "in another thread, with no barrier between that and the launch");
    hazard.fix = is_later
                     ? "a kernel cannot wait for what it launches: do that in a kernel that is launched into "
                       "cudaStreamTailLaunch, or on the host"
                     : "put __syncthreads() before the launch, so that the new kernel sees what the block's "
                       "threads have "
                       "done; what other blocks do, wait for at the end of the kernel (cudaStreamTailLaunch)";
    return hazard;
  });
}

}  // namespace cudalab::vgpu
