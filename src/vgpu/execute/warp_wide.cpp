// Warp-wide synchronization (*.sync, __syncwarp()), and which code can still reach an instruction.
#include "vgpu/execute/warp_wide.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "messages/vgpu.h"
#include "vgpu/block.h"
#include "vgpu/execute/control.h"
#include "vgpu/execute/paths.h"

namespace cudalab::vgpu {

Reach::Reach(const std::vector<Inst>& code, const Program& program,
             const std::function<bool(const Inst&)>& is_target)
    : Reach(code, program, is_target, {}) {}

Reach::Reach(const std::vector<Inst>& code, const Program& program,
             const std::function<bool(const Inst&)>& is_target, std::function<bool(const Inst&)> stops)
    : code_(code),
      program_(program),
      stops_(std::move(stops)),
      targets_(code.size()),
      reaches_(code.size() + 1) {
  for (std::size_t i = 0; i < code.size(); ++i) any_ |= targets_[i] = is_target(code[i]);
  for (bool changed = any_; changed;) changed = sweep();
}

// One pass backwards through the code, which settles everything except loops.
bool Reach::sweep() {
  bool changed = false;
  for (std::size_t i = code_.size(); i-- > 0;) {
    if (reaches_[i] || !(targets_[i] || leads_there(code_[i]))) continue;
    reaches_[i] = changed = true;
  }
  return changed;
}

bool Reach::leads_there(const Inst& inst) const {
  if (stops_ && stops_(inst)) return false;
  if (inst.run == control::jump || inst.run == control::call) return from(inst.target);
  if (control::is_branch(inst)) return from(inst.target) || from(inst.fallthrough);
  if (inst.run == control::branch_table) {
    const auto& targets = program_.branch_tables[inst.imm];
    return std::any_of(targets.begin(), targets.end(), [&](const Inst* target) { return from(target); });
  }
  const bool ends =
      inst.run == control::leave || inst.run == control::exit_kernel || inst.run == control::trap;
  return !ends && from(&inst + 1);
}

const Inst* branch_around(const Inst* target, const FunctionCode& function, const Program& program) {
  const Inst* first = function.code.data();
  if (target < first || target >= first + function.code.size()) return nullptr;
  const Reach reach(function.code, program, [&](const Inst& inst) { return &inst == target; });
  for (const Inst* inst = target; inst-- != first;)
    if (control::is_branch(*inst) && !(inst->imm & control::kPassesBy) &&
        reach.from(inst->target) != reach.from(inst->fallthrough))
      return inst;
  return nullptr;
}

const Inst* branch_past(const Inst* target, const FunctionCode& function, const Program& program) {
  const Inst* first = function.code.data();
  if (target < first || target >= first + function.code.size()) return nullptr;
  for (const Inst* branch = target; branch-- != first;) {
    if (!control::is_branch(*branch) || (branch->imm & control::kPassesBy)) continue;
    const Reach reach(
        function.code, program, [&](const Inst& inst) { return &inst == target; },
        [&](const Inst& inst) { return &inst == branch; });
    const bool taken = reach.from(branch->target);
    if (taken == reach.from(branch->fallthrough)) continue;
    const Reach end(
        function.code, program,
        [](const Inst& inst) { return inst.run == control::leave || inst.run == control::exit_kernel; },
        [&](const Inst& inst) { return &inst == branch || &inst == target; });
    if (end.from(taken ? branch->fallthrough : branch->target)) return branch;
  }
  return nullptr;
}

namespace {

// A called function may contain a barrier.
bool may_be_barrier(const Inst& inst, const Program& program) {
  if (inst.run == control::call) return program.calls[inst.imm].builtin < 0;
  return (inst.run == control::barrier || inst.run == control::barrier_reduce) && inst.b.bits == 0;
}

}  // namespace

void mark_branches_off_barriers(std::vector<Inst>& code, const Program& program) {
  const Reach reach(code, program, [&](const Inst& inst) { return may_be_barrier(inst, program); });
  if (!reach.any()) return;
  for (Inst& inst : code) {
    if (inst.run != control::branch || (inst.imm & control::kPassesBy)) continue;
    const bool taken = reach.from(inst.target), others = reach.from(inst.fallthrough);
    if (taken == others) continue;
    inst.run = control::branch_off_barriers;
    inst.imm |= taken ? 0 : control::kTakenLeave;
  }
}

}  // namespace cudalab::vgpu

namespace cudalab::vgpu::control {
namespace {

constexpr int kSameInstruction = 0,
              kAnyBarrier = 1;  // values of Path::barrier with Wait::kLanes: what the path waits for

const std::uint32_t* masks_of(const Inst* inst, const Warp& warp) {
  return lanes_at<const std::uint32_t>(warp, inst->a);
}

// The mask must name the calling lane itself; otherwise the result is undefined.
void check_own_lanes(const Inst* inst, Warp& warp) {
  const std::uint32_t* masks = masks_of(inst, warp);
  std::uint32_t strangers = 0;
  for (int lane = 0; lane < kWarpSize; ++lane) strangers |= (~masks[lane] >> lane & 1u) << lane;
  strangers &= warp.active;
  if (strangers == 0) return;
  const int lane = std::countr_zero(strangers);
  Hazard hazard = hazard_at(inst, warp, lane, HazardKind::kBarrierDivergence);
  hazard.what = msg::lane_not_in_mask(lane, masks[lane]);
  hazard.fix = msg::advice_mask_names_callers();
  report_hazard(*warp.block, std::move(hazard));
}

// Lanes whose partners have all arrived, together with these partners.
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

// Releases lanes that wait at any warp barrier in the code and whose partners are complete.
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
// the same function with the same mask, or the result is undefined. A shuffle depends only on the lanes that
// it reads.
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
  hazard.what = msg::lanes_gone_around(mask, first, ThreadIndex{thread_of(warp, first)});
  hazard.fix = msg::advice_ballot_before_branch();
  report_hazard(*warp.block, std::move(hazard));
}

const Inst* gather_lanes(const Inst* inst, Warp& warp) {
  if (!(inst->imm & kNamesAll)) check_own_lanes(inst, warp);
  if (warp.active == warp.live) [[likely]]
    return inst + 1;
  // Lanes that already wait here continue as well; those whose partners are missing keep waiting.
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
