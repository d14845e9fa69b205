#include "vgpu/checks/mbarrier_order.h"

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

}  // namespace cudalab::vgpu
