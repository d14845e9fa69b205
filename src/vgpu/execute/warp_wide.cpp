// Waiting for lanes of one's own warp, as the *.sync instructions and __syncwarp() do.
#include <bit>

#include "vgpu/block.h"
#include "vgpu/execute/control.h"
#include "vgpu/execute/paths.h"
#include "vgpu/execute/reach.h"

namespace cudalab::vgpu::control {
namespace {

constexpr int kSameInstruction = 0,
              kAnyBarrier = 1;  // Path::barrier, for Wait::kLanes: whom a path waits for

const std::uint32_t* masks_of(const Inst* inst, const Warp& warp) {
  return lanes_at<const std::uint32_t>(warp, inst->a);
}

// The mask must name the lane itself, or what happens is undefined.
void check_own_lanes(const Inst* inst, Warp& warp) {
  const std::uint32_t* masks = masks_of(inst, warp);
  std::uint32_t strangers = 0;
  for (int lane = 0; lane < kWarpSize; ++lane) strangers |= (~masks[lane] >> lane & 1u) << lane;
  strangers &= warp.active;
  if (strangers == 0) return;
  const int lane = std::countr_zero(strangers);
  Hazard hazard = hazard_at(inst, warp, lane, HazardKind::kBarrierDivergence);
  hazard.what =
      fmt::format("calls a warp-wide function in lane {} with the mask {:#010x}, which does not name it",
                  lane, masks[lane]);
  hazard.fix = control::kNameTheCallers;
  report_hazard(*warp.block, std::move(hazard));
}

// The lanes whose partners are all among `arrived`, together with these partners.
std::uint32_t complete(const Inst* inst, const Warp& warp, std::uint32_t arrived) {
  const std::uint32_t* masks = masks_of(inst, warp);
  std::uint32_t lanes = 0;
  for (std::uint32_t left = warp.active; left; left &= left - 1) {
    const int lane = std::countr_zero(left);
    const std::uint32_t wanted = (masks[lane] & warp.live) | 1u << lane;
    if ((wanted & ~arrived) == 0) lanes |= wanted;
  }
  return lanes;
}

bool waits_here(const Path& path, const Inst* inst, const Warp& warp) {
  return path.wait == Wait::kLanes && path.pc == inst && path.frame == warp.frame &&
         path.barrier == kSameInstruction;
}

const Inst* wait(const Inst* inst, Warp& warp, std::uint32_t lanes, int whom) {
  park(warp, {inst, lanes, warp.frame, Wait::kLanes, whom});
  return next_path(warp);
}

// Lanes that wait at a warp barrier anywhere in the code, and are complete, go on behind it.
void release_waiting(Warp& warp, std::uint32_t lanes) {
  std::vector<Path> released;
  for (Path& path : warp.parked) {
    if (path.wait != Wait::kLanes || path.barrier != kAnyBarrier || (path.mask & lanes) == 0) continue;
    released.push_back({path.pc + 1, path.mask & lanes, path.frame, Wait::kNone, 0});
    path.mask &= ~lanes;
  }
  std::erase_if(warp.parked, [](const Path& path) { return path.mask == 0; });
  for (const Path& path : released) park(warp, path);
}

}  // namespace

// CUDA C++ Programming Guide, "Warp Vote Functions": all non-exited threads named in the mask must execute
// the same function with the same mask, or the result is undefined. A shuffle asks only the lanes that it
// reads.
void lanes_ended(Warp& warp, const Path& waiting, std::uint32_t lanes) {
  const Inst* inst = waiting.pc;
  if (waiting.barrier != kSameInstruction || !(inst->imm & kAsksAll)) return;
  const Frame& frame = warp.frames[waiting.frame];
  const int lane = std::countr_zero(waiting.mask);
  const std::byte* file =
      (inst->a.bits & 3) == kRegisters ? frame.registers.get() : warp.operand_file[inst->a.bits & 3];
  const std::uint32_t mask = reinterpret_cast<const std::uint32_t*>(file + offset_of(inst->a))[lane];
  const std::uint32_t lost = mask & lanes;
  if (lost == 0) return;
  const Inst* around = branch_around(inst, *frame.function, *warp.launch->program);
  if (!around) return;  // a guarded exit
  Hazard hazard = hazard_at(inst, warp, lane, HazardKind::kBarrierDivergence);
  hazard.other = line_of(warp, around);
  const int first = std::countr_zero(lost);
  hazard.what = fmt::format(
      "asks lanes that do not take part: the mask {:#010x} names lane {}, and {} goes around this warp-wide "
      "function and ends",
      mask, first, thread_text(thread_of(warp, first)));
  hazard.fix =
      "name the lanes that come: ask for them with __ballot_sync() before the branch; or move the function "
      "out of it";
  report_hazard(*warp.block, std::move(hazard));
}

const Inst* gather_lanes(const Inst* inst, Warp& warp) {
  if (!(inst->imm & kNamesAll)) check_own_lanes(inst, warp);
  if (warp.active == warp.live) [[likely]]
    return inst + 1;
  // Whoever waits here already comes along; those whose partners are still missing wait on.
  std::uint32_t arrived = warp.active;
  for (const Path& path : warp.parked)
    if (waits_here(path, inst, warp)) arrived |= path.mask;
  const std::uint32_t ready = complete(inst, warp, arrived);
  if (ready == 0) return wait(inst, warp, warp.active, kSameInstruction);
  std::erase_if(warp.parked, [&](const Path& path) { return waits_here(path, inst, warp); });
  if (arrived & ~ready) park(warp, {inst, arrived & ~ready, warp.frame, Wait::kLanes, kSameInstruction});
  set_active(warp, ready);
  return inst + 1;
}

const Inst* warp_barrier(const Inst* inst, Warp& warp) {
  if (!(inst->imm & kNamesAll)) check_own_lanes(inst, warp);
  if (warp.active == warp.live) [[likely]]
    return inst + 1;
  std::uint32_t arrived = warp.active;
  for (const Path& path : warp.parked)
    if (path.wait == Wait::kLanes && path.barrier == kAnyBarrier) arrived |= path.mask;
  const std::uint32_t ready = complete(inst, warp, arrived);
  if (ready == 0) return wait(inst, warp, warp.active, kAnyBarrier);
  release_waiting(warp, ready);
  if (warp.active & ~ready) park(warp, {inst, warp.active & ~ready, warp.frame, Wait::kLanes, kAnyBarrier});
  set_active(warp, warp.active & ready);
  return inst + 1;
}

}  // namespace cudalab::vgpu::control
