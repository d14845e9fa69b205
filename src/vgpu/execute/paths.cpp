// The paths of a warp: divergence at branches, waiting, reconvergence, calls, returns and the stack.
#include "vgpu/execute/paths.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "core/alignment.h"
#include "messages/vgpu.h"
#include "vgpu/block.h"
#include "vgpu/checks/observer.h"
#include "vgpu/execute/control.h"
#include "vgpu/warp_shape.h"

namespace cudalab::vgpu {
namespace {

std::uint32_t* stack_tops(const Warp& warp) {
  return lanes_at<std::uint32_t>(warp, warp.frames[warp.frame].function->stack_top);
}

std::uint64_t end_of_variables(const Frame& frame) {
  return std::uint64_t{frame.local_base} + frame.function->local_bytes;
}

}  // namespace

void report_stack_overflow(const Inst* inst, const Warp& warp) {
  Hazard hazard = hazard_at(inst, warp, std::countr_zero(warp.exec), HazardKind::kStackOverflow);
  hazard.what = msg::stack_overflow(warp.frames[warp.frame].depth, warp.local_bytes);
  hazard.fix = msg::advice_recursion_ends();
  hazard.cuda_error = "CUDA_ERROR_HARDWARE_STACK_ERROR";
  throw KernelFault{std::move(hazard)};
}

void clear_stack(Warp&, Frame& frame, std::uint32_t lanes) {
  if (frame.function->stack_top.bits == 0) return;
  auto* tops =
      reinterpret_cast<std::uint32_t*>(frame.registers.get() + (frame.function->stack_top.bits >> 2));
  for (int lane = 0; lane < kWarpSize; ++lane)
    if (lanes >> lane & 1) tops[lane] = static_cast<std::uint32_t>(end_of_variables(frame));
}

std::uint32_t place_callee(const Inst* call, const Warp& warp, const FunctionCode& callee) {
  std::uint64_t base = end_of_variables(warp.frames[warp.frame]);
  if (warp.frames[warp.frame].function->stack_top.bits)
    for (std::uint32_t left = warp.active; left; left &= left - 1)
      base = std::max<std::uint64_t>(base, stack_tops(warp)[std::countr_zero(left)]);
  base = round_up(base, 16) + kCallBytes;
  if (base + callee.local_bytes > warp.local_bytes) report_stack_overflow(call, warp);
  return static_cast<std::uint32_t>(base);
}

namespace control {

const Inst* stack_allocate(const Inst* inst, Warp& warp) {
  const auto* sizes = lanes_at<const std::uint64_t>(warp, inst->a);
  auto* addresses = lanes_at<std::uint64_t>(warp, inst->d);
  std::uint32_t* tops = stack_tops(warp);
  for (std::uint32_t left = warp.exec; left; left &= left - 1) {
    const int lane = std::countr_zero(left);
    const std::uint64_t address = round_up(tops[lane], inst->imm);
    if (sizes[lane] > warp.local_bytes || address + sizes[lane] > warp.local_bytes)
      report_stack_overflow(inst, warp);
    tops[lane] = static_cast<std::uint32_t>(address + sizes[lane]);
    addresses[lane] = address;
  }
  return inst + 1;
}

const Inst* stack_save(const Inst* inst, Warp& warp) {
  auto* saved = lanes_at<std::uint64_t>(warp, inst->d);
  for (std::uint32_t left = warp.exec; left; left &= left - 1)
    saved[std::countr_zero(left)] = stack_tops(warp)[std::countr_zero(left)];
  return inst + 1;
}

const Inst* stack_restore(const Inst* inst, Warp& warp) {
  const auto* saved = lanes_at<const std::uint64_t>(warp, inst->a);
  const std::uint64_t lowest = end_of_variables(warp.frames[warp.frame]);
  for (std::uint32_t left = warp.exec; left; left &= left - 1) {
    const int lane = std::countr_zero(left);
    stack_tops(warp)[lane] =
        static_cast<std::uint32_t>(std::clamp<std::uint64_t>(saved[lane], lowest, warp.local_bytes));
  }
  return inst + 1;
}

}  // namespace control

namespace {

constexpr int kFirstPatience = 128;  // in time slices (quanta)
constexpr int kGiveWay = -1;         // value of idle_quanta: when the warp continues, another path runs

// Continues at `pc` with other lanes than before.
const Inst* taken_from(const Inst* pc, const Warp& warp) {
  if (warp.observed) warp.block->observer->take_path(pc, warp);
  return pc;
}

void set_frame(Warp& warp, int frame) {
  warp.frame = frame;
  warp.operand_file[kRegisters] = warp.frames[frame].registers.get();
}

void find_lowest(Warp& warp) {
  const Inst* lowest = kNoPath;
  for (const Path& path : warp.parked)
    if (path.wait == Wait::kNone && path.frame == warp.frame) lowest = std::min(lowest, path.pc);
  warp.parked_lowest = lowest;
}

// Order of paths: deepest call first, then first in the code.
bool goes_before(const Warp& warp, const Path& a, const Path& b) {
  const int depth_a = warp.frames[a.frame].depth, depth_b = warp.frames[b.frame].depth;
  if (depth_a != depth_b) return depth_a > depth_b;
  if (a.frame != b.frame) return a.frame > b.frame;
  return a.pc < b.pc;
}

const Inst* run_parked(Warp& warp, std::size_t index) {
  const Path path = warp.parked[index];
  warp.parked.erase(warp.parked.begin() + static_cast<std::ptrdiff_t>(index));
  set_frame(warp, path.frame);
  set_active(warp, path.mask);
  find_lowest(warp);
  return taken_from(path.pc, warp);
}

const Inst* stop_with(Warp& warp, Outcome outcome) {
  warp.outcome = outcome;
  set_active(warp, 0);
  return nullptr;
}

// The next runnable path after `pc` in code order, or the first one (round-robin).
std::size_t next_turn(const Warp& warp, const Inst* pc) {
  std::size_t best = warp.parked.size();
  const auto distance = [&](const Path& path) { return path.pc - pc - 1; };
  for (std::size_t i = 0; i < warp.parked.size(); ++i) {
    if (warp.parked[i].wait != Wait::kNone) continue;
    if (best == warp.parked.size() || static_cast<std::uint64_t>(distance(warp.parked[i])) <
                                          static_cast<std::uint64_t>(distance(warp.parked[best])))
      best = i;
  }
  return best;
}

// After a yield: the next path runs undisturbed until it waits, ends or yields.
const Inst* give_turn(Warp& warp) {
  const std::size_t index = next_turn(warp, warp.parked_lowest);
  warp.idle_quanta = 0;
  warp.patience = std::max(1, warp.patience / 2);
  const Inst* pc = run_parked(warp, index);
  warp.parked_lowest = kNoPath;
  return pc;
}

// An unused frame of this function if there is one, because its registers are already allocated.
int new_frame(Warp& warp, const FunctionCode& function) {
  int unused = -1;
  for (int i = 0; i < static_cast<int>(warp.frames.size()); ++i) {
    if (warp.frames[i].lanes != 0) continue;
    unused = i;
    if (warp.frames[i].function == &function) return i;
  }
  if (unused < 0) {
    unused = static_cast<int>(warp.frames.size());
    warp.frames.emplace_back();
  }
  Frame& frame = warp.frames[unused];
  if (frame.function) warp.frame_bytes -= frame.function->frame_bytes;
  warp.frame_bytes += function.frame_bytes;
  frame.function = &function;
  frame.registers = allocate_host(function.frame_bytes);
  return unused;
}

// Copies each active lane's bytes. kBytes != 0: the number of bytes at compile time, which makes each lane
// one load and one store.
template <std::size_t kBytes>
void copy_each(std::uint32_t lanes, std::byte* to, std::size_t to_step, const std::byte* from,
               std::size_t from_step, std::size_t bytes) {
  for_each_lane(lanes, [&](int lane) {
    const auto at = static_cast<std::size_t>(lane);
    std::memcpy(to + at * to_step, from + at * from_step, kBytes ? kBytes : bytes);
  });
}

// Copies the active lanes' bytes from a slot of one frame to a slot of another frame.
void copy_lanes(const Warp& warp, std::byte* to, const CallSlot& to_slot, const std::byte* from,
                const CallSlot& from_slot) {
  const std::size_t bytes = std::min(to_slot.bytes, from_slot.bytes);
  to += offset_of(to_slot.slot), from += offset_of(from_slot.slot);
  if (warp.active == kAllLanes && to_slot.bytes == from_slot.bytes) {
    std::memcpy(to, from, kWarpSize * bytes);
    return;
  }
  const auto copy = bytes == 4 ? copy_each<4> : bytes == 8 ? copy_each<8> : copy_each<0>;
  copy(warp.active, to, to_slot.bytes, from, from_slot.bytes, bytes);
}

}  // namespace

void start_warp(Warp& warp, const FunctionCode& function, std::uint32_t lanes) {
  const bool keeps_frame = warp.frames.size() == 1 && warp.frames[0].function == &function;
  if (!keeps_frame) {
    warp.frames.clear();
    warp.frames.emplace_back();
    warp.frames[0].function = &function;
    warp.frame_bytes = function.frame_bytes;
    warp.frames[0].registers = allocate_host(function.frame_bytes);
  }
  warp.frames[0].lanes = lanes;
  clear_stack(warp, warp.frames[0], lanes);
  warp.live = lanes;
  warp.outcome = Outcome::kRunning;
  warp.patience = kFirstPatience;
  warp.parked.clear();
  warp.awaited = {};
  if (std::exchange(warp.has_left, false)) warp.left_by.fill(nullptr);
  warp.copies.in_flight.clear();
  warp.at_cluster_barrier = warp.owes_cluster_wait = 0;
  if (lanes) warp.parked.push_back({function.entry(), lanes, 0, Wait::kNone, 0});
}

bool has_runnable_path(const Warp& warp) {
  return std::any_of(warp.parked.begin(), warp.parked.end(),
                     [](const Path& path) { return path.wait == Wait::kNone; });
}

const Inst* next_path(Warp& warp) {
  if (warp.idle_quanta == kGiveWay && has_runnable_path(warp)) return give_turn(warp);
  std::size_t best = warp.parked.size();
  for (std::size_t i = 0; i < warp.parked.size(); ++i) {
    if (warp.parked[i].wait != Wait::kNone) continue;
    if (best == warp.parked.size() || goes_before(warp, warp.parked[i], warp.parked[best])) best = i;
  }
  if (best == warp.parked.size()) return stop_with(warp, warp.live ? Outcome::kWaiting : Outcome::kDone);
  return run_parked(warp, best);
}

void park(Warp& warp, const Path& path) {
  for (Path& other : warp.parked) {
    if (other.pc != path.pc || other.frame != path.frame || other.wait != path.wait ||
        other.barrier != path.barrier)
      continue;
    other.mask |= path.mask;
    return;
  }
  warp.parked.push_back(path);
  if (path.wait == Wait::kNone && path.frame == warp.frame)
    warp.parked_lowest = std::min(warp.parked_lowest, path.pc);
}

const Inst* diverge(Warp& warp, std::uint32_t taken, const Inst* target, const Inst* fallthrough) {
  const std::uint32_t rest = warp.active & ~taken;
  warp.idle_quanta = 0;
  if (target < fallthrough) {
    park(warp, {fallthrough, rest, warp.frame, Wait::kNone, 0});
    set_active(warp, taken);
    return taken_from(target, warp);
  }
  park(warp, {target, taken, warp.frame, Wait::kNone, 0});
  set_active(warp, rest);
  return taken_from(fallthrough, warp);
}

const Inst* meet(const Inst* basic_block_start, Warp& warp) {
  warp.idle_quanta = 0;
  park(warp, {basic_block_start, warp.active, warp.frame, Wait::kNone, 0});
  return next_path(warp);
}

const Inst* yield(const Inst* basic_block_start, Warp& warp) {
  // A path that polls memory may be waiting for lanes of its own warp.
  const bool polled = std::exchange(warp.polls, 0) > 0;
  if (has_runnable_path(warp) && (polled || ++warp.idle_quanta >= warp.patience)) warp.idle_quanta = kGiveWay;
  park(warp, {basic_block_start, warp.active, warp.frame, Wait::kNone, 0});
  warp.parked_lowest = basic_block_start;  // the path that just ran
  return stop_with(warp, Outcome::kYielded);
}

const Inst* exit_lanes(Warp& warp) {
  warp.idle_quanta = 0;
  warp.live &= ~warp.active;
  warp.block->live_threads -= warp.active_count;
  for (Frame& frame : warp.frames) frame.lanes &= ~warp.active;
  for (Path& path : warp.parked) {  // lanes that this path waited for may have exited
    if (path.wait != Wait::kLanes) continue;
    control::lanes_ended(warp, path, warp.active);
    path.wait = Wait::kNone;
  }
  return next_path(warp);
}

const Inst* enter_function(const Inst* call, Warp& warp, const FunctionCode& callee, const CallInfo& info,
                           const Inst* return_to) {
  const int caller = warp.frame;
  const std::uint32_t local_base = place_callee(call, warp, callee);
  if (warp.frame_bytes + callee.frame_bytes > kMostFrameBytes) report_stack_overflow(call, warp);
  const int frame = new_frame(warp, callee);
  Frame& entered = warp.frames[frame];
  entered.parent = caller;
  entered.return_to = return_to;
  entered.call = call;
  entered.lanes = warp.active;
  entered.depth = warp.frames[caller].depth + 1;
  entered.local_base = local_base;
  clear_stack(warp, entered, warp.active);
  const std::byte* from = warp.frames[caller].registers.get();
  const std::size_t arguments = std::min(info.arguments.size(), callee.parameters.size());
  for (std::size_t i = 0; i < arguments; ++i)
    copy_lanes(warp, entered.registers.get(), callee.parameters[i], from, info.arguments[i]);
  if (warp.observed && callee.local_bytes > 0)
    warp.block->observer->enter_function(warp, warp.active, entered.local_base, callee.local_bytes);
  set_frame(warp, frame);
  find_lowest(warp);
  return callee.entry();
}

const Inst* leave_function(Warp& warp) {
  Frame& left = warp.frames[warp.frame];
  if (left.parent < 0) return exit_lanes(warp);
  const CallInfo& info = warp.launch->program->calls[left.call->imm];
  std::byte* to = warp.frames[left.parent].registers.get();
  const std::size_t results = std::min(info.results.size(), left.function->returns.size());
  for (std::size_t i = 0; i < results; ++i)
    copy_lanes(warp, to, info.results[i], left.registers.get(), left.function->returns[i]);
  left.lanes &= ~warp.active;
  const Path back{left.return_to, warp.active, left.parent, Wait::kNone, 0};
  park(warp, back);
  return next_path(warp);
}

}  // namespace cudalab::vgpu
