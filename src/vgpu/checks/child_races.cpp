// Finds races between a kernel and the kernels that it launches, and among the launched kernels.
#include "vgpu/checks/child_races.h"

#include <utility>

#include "messages/vgpu.h"

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
    const auto race = is_later ? msg::race_parent_after_launch : msg::race_parent_thread;
    hazard.what = race(verb_of(access), place.element(access.element_bytes()), Address{address},
                       past_verb_of(earlier.was_write, earlier.record));
    hazard.fix = is_later ? msg::advice_tail_launch() : msg::advice_syncthreads_before_launch();
    return hazard;
  });
}

}  // namespace

void ParentAccesses::check(const ObservedAccess& access, const LaunchMoment& moment, HazardLog& log) const {
  const auto unordered = [&](const PastAccess& earlier) { return is_unordered(earlier, moment); };
  if (const auto met = accesses_.first_race(access, unordered)) report(access, *met, moment, log);
}

namespace {

// `line`: of the other launch; 0 if unknown.
Message race_of_siblings(bool are_defaults, int line, Argument access, Argument element, Argument address,
                         Argument earlier) {
  if (line <= 0) {
    const auto race = are_defaults ? msg::race_sibling_of_block : msg::race_sibling_of_stream;
    return race(std::move(access), std::move(element), std::move(address), std::move(earlier));
  }
  const auto race = are_defaults ? msg::race_sibling_of_block_at_line : msg::race_sibling_of_stream_at_line;
  return race(std::move(access), std::move(element), std::move(address), line, std::move(earlier));
}

}  // namespace

std::uint32_t SiblingRaces::add(std::uint32_t parent, const LaunchQueue& queue, const SourceLine& where,
                                bool has_company) {
  kernels_.push_back({parent, kernels_[parent].depth + 1, queue, where, has_company});
  return static_cast<std::uint32_t>(kernels_.size() - 1);
}

std::pair<std::uint32_t, std::uint32_t> SiblingRaces::siblings_above(std::uint32_t one,
                                                                     std::uint32_t other) const {
  while (kernels_[one].depth > kernels_[other].depth) one = kernels_[one].parent;
  while (kernels_[other].depth > kernels_[one].depth) other = kernels_[other].parent;
  while (one != other && kernels_[one].parent != kernels_[other].parent)
    one = kernels_[one].parent, other = kernels_[other].parent;
  return {one, other};
}

bool SiblingRaces::are_unordered(std::uint32_t one, std::uint32_t other) const {
  const auto [first, second] = siblings_above(one, other);
  return first != second && !(kernels_[first].queue == kernels_[second].queue);
}

void SiblingRaces::observe(const ObservedAccess& access, std::uint32_t kernel, std::uint32_t tick,
                           HazardLog& log) {
  const auto unordered = [&](const PastAccess& earlier) { return are_unordered(earlier.who, kernel); };
  if (const auto met = accesses_.first_race(access, unordered)) report(access, *met, kernel, log);
  accesses_.note(access, kernel, tick);
}

void SiblingRaces::report(const ObservedAccess& access, const LatestAccesses::Meeting& met,
                          std::uint32_t kernel, HazardLog& log) const {
  const Launch& launch = *access.warp->launch;
  const std::uint64_t address = access.element_address(met.lane, met.granule);
  const Place place = place_of(launch, address);
  const std::uint32_t line = met.earlier.record & kLineMask;
  const auto [mine, other] = siblings_above(kernel, met.earlier.who);
  const Kernel& sibling = kernels_[other];
  const bool are_defaults = kernels_[mine].queue.is_default() && sibling.queue.is_default();
  log.add(HazardKind::kGlobalRace, access.line(), line, place.identity, [&] {
    Hazard hazard = hazard_at(access.inst, *access.warp, met.lane, HazardKind::kGlobalRace);
    hazard.other = launch.program->lines[line];
    hazard.address = address;
    hazard.buffer = place.name;
    hazard.what = race_of_siblings(are_defaults, sibling.where.line, verb_of(access),
                                   place.element(access.element_bytes()), Address{address},
                                   past_verb_of(met.earlier.was_write, met.earlier.record));
    hazard.fix = are_defaults ? msg::advice_one_block_one_stream() : msg::advice_one_stream();
    return hazard;
  });
}

}  // namespace cudalab::vgpu
