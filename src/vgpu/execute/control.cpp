#include "vgpu/execute/control.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstring>
#include <utility>

#include "core/digest.h"
#include "messages/vgpu.h"
#include "vgpu/block.h"
#include "vgpu/builtins/builtins.h"
#include "vgpu/checks/observer.h"
#include "vgpu/execute/cluster.h"
#include "vgpu/execute/paths.h"
#include "vgpu/time/access_trace.h"

namespace cudalab::vgpu::control {
namespace {

std::uint32_t predicate(const Inst* inst, const Warp& warp) {
  const std::uint32_t value = *lanes_at<std::uint32_t>(warp, inst->a);
  return (inst->imm & 1) ? ~value : value;
}
int first_lane(const Warp& warp) { return std::countr_zero(warp.active); }

template <class T>
void broadcast(const Warp& warp, Slot slot, T value) {
  T* d = lanes_at<T>(warp, slot);
  for (std::uint32_t left = warp.exec; left; left &= left - 1) d[std::countr_zero(left)] = value;
}

Barrier& barrier_of(const Inst* inst, Warp& warp) {
  const std::uint32_t id = lanes_at<std::uint32_t>(warp, inst->a)[first_lane(warp)];
  if (id >= kBarriersPerBlock) {
    Hazard hazard = hazard_at(inst, warp, first_lane(warp), HazardKind::kTrap);
    hazard.what = msg::barrier_number_too_large(id, kBarriersPerBlock - 1);
    hazard.fix = msg::advice_barrier_number();
    hazard.cuda_error = "CUDA_ERROR_ILLEGAL_INSTRUCTION";
    throw KernelFault{hazard};
  }
  return warp.block->barriers[id];
}

// A barrier that names its number of threads counts whole warps (PTX ISA, bar), including lanes that have
// ended or that the block's last warp lacks.
void count_arrival(const Inst* inst, const Warp& warp, Barrier& barrier) {
  const bool names_threads = inst->b.bits != 0;
  const bool is_whole_warp = names_threads && warp.active == warp.live;
  barrier.arrived += is_whole_warp ? std::uint32_t{kWarpSize} : warp.active_count;
  barrier.expected = names_threads ? lanes_at<std::uint32_t>(warp, inst->b)[first_lane(warp)] : 0;
}

int number_of(const Barrier& barrier, const Warp& warp) {
  return static_cast<int>(&barrier - warp.block->barriers.data());
}

const Inst* arrive_and_wait(const Inst* inst, Warp& warp, Barrier& barrier) {
  const int id = number_of(barrier, warp);
  count_arrival(inst, warp, barrier);
  if (warp.observed) warp.block->observer->arrive(warp, id);
  park(warp, {inst + 1, warp.active, warp.frame, Wait::kBarrier, id});
  open_if_complete(*warp.block, id);
  return next_path(warp);
}

const Barrier& passed_barrier(const Inst* inst, Warp& warp) { return barrier_of(inst, warp); }

}  // namespace

const Inst* basic_block_start(const Inst* inst, Warp& warp) {
  if (warp.parked_lowest <= inst) [[unlikely]]
    return meet(inst, warp);
  warp.budget -= static_cast<std::int64_t>(inst->imm);
  // A block that is longer than a turn has a whole turn to itself.
  if (warp.budget < 0 && warp.budget + static_cast<std::int64_t>(inst->imm) < kInstructionsOfATurn)
      [[unlikely]]
    return yield(inst, warp);
  BasicBlockCount& count = warp.counts[inst->site];
  ++count.warps;
  count.lanes += warp.active_count;
  return inst + 1;
}

const Inst* jump(const Inst* inst, Warp&) { return inst->target; }

const Inst* branch(const Inst* inst, Warp& warp) {
  const std::uint32_t taken = predicate(inst, warp) & warp.active;
  if (taken == 0) return inst->fallthrough;
  if (taken == warp.active) return inst->target;
  ++warp.counts[inst->site].divergent;
  return diverge(warp, taken, inst->target, inst->fallthrough);
}

namespace {
void note_leaving(const Inst* inst, Warp& warp, std::uint32_t lanes) {
  warp.has_left = warp.has_left || lanes != 0;
  for (; lanes; lanes &= lanes - 1) warp.left_by[std::countr_zero(lanes)] = inst;
}
}  // namespace

bool is_branch(const Inst& inst) { return inst.run == branch || inst.run == branch_off_barriers; }

const Inst* branch_off_barriers(const Inst* inst, Warp& warp) {
  const std::uint32_t taken = predicate(inst, warp) & warp.active;
  note_leaving(inst, warp, inst->imm & kTakenLeave ? taken : warp.active & ~taken);
  return branch(inst, warp);
}

const Inst* branch_table(const Inst* inst, Warp& warp) {
  const auto& targets = warp.launch->program->branch_tables[inst->imm];
  const std::uint32_t* index = lanes_at<std::uint32_t>(warp, inst->a);
  const Inst* first = nullptr;
  bool parts = false;
  for (std::uint32_t left = warp.active; left; left &= left - 1) {
    const int lane = std::countr_zero(left);
    const std::size_t entry = std::min<std::size_t>(index[lane], targets.size() - 1);
    first = first ? first : targets[entry];
    parts = parts || targets[entry] != first;
    park(warp, {targets[entry], 1u << lane, warp.frame, Wait::kNone, 0});
  }
  warp.counts[inst->site].divergent += parts;
  return next_path(warp);
}

const Inst* guard(const Inst* inst, Warp& warp) {
  const Inst* end = inst + 1 + inst->site;
  const std::uint32_t lanes = predicate(inst, warp) & warp.active;
  if (lanes == 0) return end;
  warp.exec = lanes;
  for (const Inst* guarded = inst + 1; guarded != end; ++guarded) guarded->run(guarded, warp);
  warp.exec = warp.active;
  return end;
}

const Inst* leave(const Inst*, Warp& warp) { return leave_function(warp); }
const Inst* exit_kernel(const Inst*, Warp& warp) { return exit_lanes(warp); }

const Inst* trap(const Inst* inst, Warp& warp) {
  Hazard hazard = hazard_at(inst, warp, first_lane(warp), HazardKind::kTrap);
  const bool is_grid_sync = warp.launch->code->waits_for_grid && !warp.launch->request->is_cooperative;
  hazard.what = is_grid_sync ? msg::trap_of_grid_sync() : msg::trap_reached();
  hazard.fix = is_grid_sync ? msg::advice_launch_cooperatively() : msg::advice_look_for_trap();
  hazard.cuda_error = "CUDA_ERROR_LAUNCH_FAILED";  // as on an H200
  throw KernelFault{hazard};
}

const Inst* barrier(const Inst* inst, Warp& warp) {
  return arrive_and_wait(inst, warp, barrier_of(inst, warp));
}

const Inst* barrier_arrive(const Inst* inst, Warp& warp) {
  Barrier& barrier = barrier_of(inst, warp);
  const int id = number_of(barrier, warp);
  count_arrival(inst, warp, barrier);
  if (warp.observed) warp.block->observer->arrive(warp, id);
  if (!open_if_complete(*warp.block, id)) return inst + 1;
  // Other lanes of this warp may have waited for the barrier.
  park(warp, {inst + 1, warp.active, warp.frame, Wait::kNone, 0});
  return next_path(warp);
}

const Inst* barrier_reduce(const Inst* inst, Warp& warp) {
  Barrier& barrier = barrier_of(inst, warp);
  std::uint32_t value = *lanes_at<std::uint32_t>(warp, inst->c);
  if (inst->imm & 2) value = ~value;
  value &= warp.active;
  barrier.count += static_cast<std::uint32_t>(std::popcount(value));
  barrier.all = barrier.all && value == warp.active;
  barrier.any = barrier.any || value != 0;
  return arrive_and_wait(inst, warp, barrier);
}

const Inst* barrier_count_result(const Inst* inst, Warp& warp) {
  broadcast<std::uint32_t>(warp, inst->d, passed_barrier(inst, warp).last_count);
  return inst + 1;
}

namespace {
const Inst* write_predicate(const Inst* inst, Warp& warp, bool value) {
  std::uint32_t& to = *lanes_at<std::uint32_t>(warp, inst->d);
  to = value ? to | warp.exec : to & ~warp.exec;
  return inst + 1;
}
}  // namespace

const Inst* barrier_all_result(const Inst* inst, Warp& warp) {
  return write_predicate(inst, warp, passed_barrier(inst, warp).last_all);
}
const Inst* barrier_any_result(const Inst* inst, Warp& warp) {
  return write_predicate(inst, warp, passed_barrier(inst, warp).last_any);
}

const Inst* fence(const Inst* inst, Warp& warp) {
  if (warp.observed) warp.block->observer->fence(warp, Scope::kGrid);
  return inst + 1;
}

const Inst* fence_of_block(const Inst* inst, Warp& warp) {
  if (warp.observed) warp.block->observer->fence(warp, Scope::kBlock);
  return inst + 1;
}

const Inst* fence_proxy(const Inst* inst, Warp& warp) {
  if (warp.observed) warp.block->observer->fence_proxy(warp);
  return inst + 1;
}

const Inst* order_lanes(const Inst* inst, Warp& warp) {
  if (warp.observed) warp.block->observer->order_lanes(warp);
  return inst + 1;
}

const Inst* follow_values(const Inst* inst, Warp& warp) {
  if (warp.holds_undefined) [[unlikely]]
    warp.block->observer->follow(warp.launch->program->value_steps[inst->imm], inst, warp);
  return inst + 1;
}

// If all lanes are active, no shuffle reads an inactive lane and there is nothing to follow, unless undefined
// values exist or the launch is recorded for display.
const Inst* follow_shuffle(const Inst* inst, Warp& warp) {
  if (warp.observed &&
      (warp.holds_undefined || warp.exec != kAllLanes || warp.launch->request->options.record))
    warp.block->observer->follow(warp.launch->program->value_steps[inst->imm], inst, warp);
  return inst + 1;
}

const Inst* note_question(const Inst* inst, Warp& warp) {
  if (warp.observed && warp.launch->request->options.record)
    warp.block->observer->note_question(warp.launch->program->lane_questions[inst->imm], inst, warp);
  return inst + 1;
}

const Inst* call(const Inst* inst, Warp& warp) {
  const Program& program = *warp.launch->program;
  const CallInfo& info = program.calls[inst->imm];
  if (info.builtin >= 0) {
    run_builtin(inst, warp, info);
    return inst->target;
  }
  if (info.function >= 0)
    return enter_function(inst, warp, *program.functions[info.function], info, inst->target);
  // Indirect call: lanes with the same callee as the first lane call now, the others execute this instruction
  // again.
  const std::uint64_t* callees = lanes_at<std::uint64_t>(warp, inst->a);
  const std::uint64_t callee = callees[first_lane(warp)];
  std::uint32_t together = 0;
  for (std::uint32_t left = warp.active; left; left &= left - 1)
    if (callees[std::countr_zero(left)] == callee) together |= left & -left;
  const std::uint64_t index = callee - kFunctionWindow;
  if (index >= program.functions.size() || program.functions[index]->is_kernel ||
      program.functions[index]->code.empty()) {
    Hazard hazard = hazard_at(inst, warp, first_lane(warp), HazardKind::kTrap);
    hazard.what = msg::call_of_no_function(Address{callee});
    hazard.fix = msg::advice_set_function_pointer();
    hazard.cuda_error = "CUDA_ERROR_INVALID_PC";
    throw KernelFault{hazard};
  }
  if (together != warp.active) {
    park(warp, {inst, warp.active & ~together, warp.frame, Wait::kNone, 0});
    warp.active = warp.exec = together;
    warp.active_count = static_cast<std::uint32_t>(std::popcount(together));
  }
  return enter_function(inst, warp, *program.functions[index], info, inst->target);
}

const Inst* local_address32(const Inst* inst, Warp& warp) {
  broadcast<std::uint32_t>(warp, inst->d,
                           static_cast<std::uint32_t>(warp.frames[warp.frame].local_base + inst->imm));
  return inst + 1;
}
const Inst* local_address64(const Inst* inst, Warp& warp) {
  broadcast<std::uint64_t>(warp, inst->d, warp.frames[warp.frame].local_base + inst->imm);
  return inst + 1;
}

const Inst* is_space(const Inst* inst, Warp& warp) {
  const std::uint64_t* addresses = lanes_at<std::uint64_t>(warp, inst->a);
  std::uint32_t inside = 0;
  for (std::uint32_t left = warp.exec; left; left &= left - 1) {
    const int lane = std::countr_zero(left);
    const std::uint64_t address = addresses[lane];
    bool is_inside = address - inst->imm < kWindowBytes;
    if (inst->imm == kInGlobal || inst->imm == kInConstant) {
      const bool in_window = address - kSharedWindow < kFunctionWindow - kSharedWindow;
      const Allocation* allocation = in_window ? nullptr : warp.launch->memory->find(address);
      const bool is_constant = allocation && allocation->read_only;
      is_inside = inst->imm == kInConstant ? is_constant : !in_window && !is_constant;
    }
    if (inst->imm == kInOwnShared)
      is_inside =
          address - kSharedWindow < kWindowBytes && shared_place_of(warp, address).block == warp.block;
    inside |= is_inside ? 1u << lane : 0;
  }
  std::uint32_t& to = *lanes_at<std::uint32_t>(warp, inst->d);
  to = (to & ~warp.exec) | inside;
  return inst + 1;
}

namespace {

// The virtual GPU has no cycles. Its clock counts the warp's instructions, so it is reproducible, and takes
// this many cycles for each: as many as the time model predicts for a loop that waits for the clock.
constexpr double kCyclesPerInstruction = 6.75;

// A basic block is counted where it begins; `left` of its instructions are still to come.
double cycles(const Warp& warp, std::uint64_t left) {
  return static_cast<double>(warp.clock - warp.budget - static_cast<std::int64_t>(left)) *
         kCyclesPerInstruction;
}
double nanoseconds(const Warp& warp, std::uint64_t left) {
  constexpr double kNsPerUs = 1000;  // a clock of 1 MHz has one cycle per microsecond
  return cycles(warp, left) * kNsPerUs / warp.launch->card->clock_mhz;
}

template <class T>
const Inst* show(const Inst* inst, Warp& warp, double time, int shift = 0) {
  broadcast<T>(warp, inst->d, static_cast<T>(static_cast<std::uint64_t>(time) >> shift));
  return inst + 1;
}

}  // namespace

const Inst* clock64(const Inst* inst, Warp& warp) {
  return show<std::uint64_t>(inst, warp, cycles(warp, inst->imm));
}
const Inst* clock_low(const Inst* inst, Warp& warp) {
  return show<std::uint32_t>(inst, warp, cycles(warp, inst->imm));
}
const Inst* clock_high(const Inst* inst, Warp& warp) {
  return show<std::uint32_t>(inst, warp, cycles(warp, inst->imm), 32);
}
const Inst* timer64(const Inst* inst, Warp& warp) {
  return show<std::uint64_t>(inst, warp, nanoseconds(warp, inst->imm));
}
const Inst* timer_low(const Inst* inst, Warp& warp) {
  return show<std::uint32_t>(inst, warp, nanoseconds(warp, inst->imm));
}
const Inst* timer_high(const Inst* inst, Warp& warp) {
  return show<std::uint32_t>(inst, warp, nanoseconds(warp, inst->imm), 32);
}

const Inst* note_communication(const Inst* inst, Warp& warp) {
  ++warp.polls;
  warp.block->communications += inst->imm;
  return inst + 1;
}

namespace {

std::uint64_t digest_of_result(const Inst* wait, const Warp& warp) {
  const std::size_t bytes = wait->imm & kAwaitedBytes;
  const auto* values = lanes_at<const std::byte>(warp, wait->d);
  std::uint64_t digest = kFnvBasis;
  for (std::uint32_t left = warp.exec; left; left &= left - 1) {
    std::uint64_t value = 0;
    std::memcpy(&value, values + static_cast<std::size_t>(std::countr_zero(left)) * bytes,
                std::min(bytes, sizeof value));
    digest = fnv_hash(digest, value);
  }
  return digest;
}

// Whether a polling loop has found the same several times in a row. Two polls of one loop are close together,
// but for the end of a turn. A loop with a lock or an exchange may change what it reads.
bool polls_in_vain(const Inst* wait, Warp& warp) {
  constexpr std::int64_t kLongestRound = 256;  // instructions
  constexpr std::uint32_t kFewRepeats = 4;
  if (wait->d.bits == 0 || wait->imm & kAwaitedTakes) return false;
  auto& last = warp.awaited;
  const std::int64_t executed = warp.clock - warp.budget;
  const std::int64_t turn = last.repeats >= kFewRepeats ? kInstructionsOfATurn : 0;
  const std::uint64_t digest = digest_of_result(wait, warp);
  const bool is_repeated = last.at == wait && last.lanes == warp.exec && last.digest == digest &&
                           executed - last.executed <= kLongestRound + turn;
  last = {wait, warp.exec, is_repeated ? last.repeats + 1 : 0, digest, executed};
  return last.repeats >= kFewRepeats;
}

}  // namespace

const Inst* note_awaited(const Inst* inst, Warp& warp) {
  if (warp.trace && warp.trace->hand_overs()) warp.trace->hand_overs()->asked(inst, warp);
  // Only another warp, or the host, can change what the loop finds. The turn counts as what it costs here, so
  // waiting forever ends by the watch for progress, not by a limit on instructions.
  constexpr std::int64_t kIdleTurn = 64;
  if (polls_in_vain(inst, warp))
    warp.unused += std::min(std::exchange(warp.budget, 0), kInstructionsOfATurn - kIdleTurn);
  return inst + 1;
}

const Inst* nothing(const Inst* inst, Warp&) { return inst + 1; }

}  // namespace cudalab::vgpu::control
