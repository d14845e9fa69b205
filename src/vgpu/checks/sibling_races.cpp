#include "vgpu/checks/sibling_races.h"

#include <fmt/format.h>

#include <utility>

namespace cudalab::vgpu {
namespace {

constexpr const char* kOneBlockOneStream =
    "launch both from one block into one stream: each block has a default stream of its own, and nothing "
    "orders "
    "those of two blocks; or launch the second into cudaStreamTailLaunch, or from the host";
constexpr const char* kOneStream =
    "launch both into one stream, or let the second one's stream wait for the first (cudaEventRecord, "
    "cudaStreamWaitEvent)";

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
    hazard.what =
        fmt::format("{} {} ({:#x}), which another kernel{}, launched {}, {}: nothing orders the two",
                    verb_of(access), place.text(access.element_bytes()), address,
                    sibling.where.line > 0 ? fmt::format(", of line {}", sibling.where.line) : "",
                    are_defaults ? "by another block" : "into another stream",
                    past_verb_of(met.earlier.was_write, met.earlier.record));
    hazard.fix = are_defaults ? kOneBlockOneStream : kOneStream;
    return hazard;
  });
}

}  // namespace cudalab::vgpu
