#include "vgpu/checks/parent_races.h"

#include <fmt/format.h>

namespace cudalab::vgpu {
namespace {

bool is_unordered(const PastAccess& earlier, const LaunchMoment& moment) {
  if (earlier.who != moment.block) return !moment.has_taken_over;
  return earlier.tick > moment.settled &&
         earlier.tick > moment.seen[thread_of_record(earlier.record) / kWarpSize];
}

void report(const ObservedAccess& access, const LatestAccesses::Meeting& met, const LaunchMoment& moment,
            HazardLog& log) {
  const Launch& launch = *access.warp->launch;
  const std::uint64_t address = access.element_address(met.lane, met.granule);
  const Place place = place_of(launch, address);
  const PastAccess& earlier = met.earlier;
  const std::uint32_t line = earlier.record & kLineMask;
  const std::uint32_t warp = thread_of_record(earlier.record) / kWarpSize;
  const bool is_later = earlier.who == moment.block && warp == moment.warp;
  log.add(HazardKind::kGlobalRace, access.line(), line, place.identity, [&] {
    Hazard hazard = hazard_at(access.inst, *access.warp, met.lane, HazardKind::kGlobalRace);
    hazard.other = launch.program->lines[line];
    hazard.address = address;
    hazard.buffer = place.name;
    hazard.what = fmt::format("{} {} ({:#x}), which the kernel that launched this one {} {}", verb_of(access),
                              place.text(access.element_bytes()), address,
                              past_verb_of(earlier.was_write, earlier.record),
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

}  // namespace

void ParentAccesses::check(const ObservedAccess& access, const LaunchMoment& moment, HazardLog& log) const {
  const auto unordered = [&](const PastAccess& earlier) { return is_unordered(earlier, moment); };
  if (const auto met = accesses_.first_race(access, unordered)) report(access, *met, moment, log);
}

}  // namespace cudalab::vgpu
