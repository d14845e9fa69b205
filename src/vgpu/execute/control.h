// Handlers of control instructions: basic blocks, branches, calls, exits, and block barriers.
#pragma once

#include "vgpu/block.h"
#include "vgpu/warp.h"

namespace cudalab::vgpu {

// Block barriers: opening them, and reporting threads that do not arrive.

// Opens the barriers at which all expected threads have arrived.
void open_barriers(Block& block);

// The same for one barrier that names its number of threads; it opens as soon as that many have arrived.
// Later arrivals count for its next use. Returns whether it opened.
bool open_if_complete(Block& block, int barrier);

}  // namespace cudalab::vgpu

namespace cudalab::vgpu::control {

// Handlers of control instructions: starts of basic blocks, branches, barriers, calls, exits, guards.

// Begins every basic block: counts it, lets paths reconverge, ends a time slice. site: index of its count;
// imm: its number of PTX instructions.
const Inst* basic_block_start(const Inst* inst, Warp& warp);

// Jumps to `target`.
const Inst* jump(const Inst* inst, Warp& warp);
// Lanes where the predicate a (imm = 1: its negation) holds jump to `target`, the others to `fallthrough`.
const Inst* branch(const Inst* inst, Warp& warp);
// The same for a branch with one side from which no barrier can be reached; kTakenLeave in imm: that is the
// taken side. Lanes on the side without barriers record this branch.
const Inst* branch_off_barriers(const Inst* inst, Warp& warp);
inline constexpr std::uint64_t kTakenLeave = 2;
inline constexpr std::uint64_t kPassesBy =
    4;                             // flag in imm: the branch replaces the guard of another instruction
bool is_branch(const Inst& inst);  // one of the two branches above
// brx.idx: each lane jumps to entry a of the table with index imm. All branches count divergence in
// Warp::counts[site].
const Inst* branch_table(const Inst* inst, Warp& warp);

// Executes the next `site` instructions only in lanes where the predicate a (imm = 1: its negation) holds.
const Inst* guard(const Inst* inst, Warp& warp);

// `ret` and `exit`.
const Inst* leave(const Inst* inst, Warp& warp);
const Inst* exit_kernel(const Inst* inst, Warp& warp);
const Inst* trap(const Inst* inst, Warp& warp);

// bar.sync a[, b]; imm = 1: .aligned, so all lanes of the warp must execute it together.
const Inst* barrier(const Inst* inst, Warp& warp);
// bar.arrive a, b.
const Inst* barrier_arrive(const Inst* inst, Warp& warp);
// bar.red: c (imm bit 1: negated) is the reduced predicate; a barrier_*_result follows.
const Inst* barrier_reduce(const Inst* inst, Warp& warp);
const Inst* barrier_count_result(const Inst* inst, Warp& warp);
const Inst* barrier_all_result(const Inst* inst, Warp& warp);
const Inst* barrier_any_result(const Inst* inst, Warp& warp);

// Waits until all live lanes that the mask a names have arrived here (imm: kNamesAll, kAsksAll). Precedes
// every *.sync instruction. Implemented in warp_wide.cpp.
const Inst* gather_lanes(const Inst* inst, Warp& warp);
inline constexpr std::uint64_t kNamesAll = 1;  // the mask names all lanes
inline constexpr std::uint64_t kAsksAll = 2;   // the result depends on every named lane, as in a vote
// Called when `lanes` exit; lanes of the path `waiting` may have waited for them.
void lanes_ended(Warp& warp, const Path& waiting, std::uint32_t lanes);
// bar.warp.sync: the same, but the lanes may wait at different barriers in the code.
const Inst* warp_barrier(const Inst* inst, Warp& warp);

// For the checks: __threadfence(), __threadfence_block(), fence.proxy.async on shared memory, and the end of
// __syncwarp().
const Inst* fence(const Inst* inst, Warp& warp);
const Inst* fence_of_block(const Inst* inst, Warp& warp);
const Inst* fence_proxy(const Inst* inst, Warp& warp);
const Inst* order_lanes(const Inst* inst, Warp& warp);

// For the checks: executes step imm of Program::value_steps. follow_shuffle(): the same for a shuffle, which
// comes after it.
const Inst* follow_values(const Inst* inst, Warp& warp);
const Inst* follow_shuffle(const Inst* inst, Warp& warp);
const Inst* note_question(const Inst* inst, Warp& warp);

// For predicted times: an awaited read has returned d; imm: see hand_over_trace.h.
const Inst* note_awaited(const Inst* inst, Warp& warp);

// Calls the function of call site imm; the lanes return to `target`. a: address of the callee for an indirect
// call.
const Inst* call(const Inst* inst, Warp& warp);

// alloca: d = local address of a bytes; imm: alignment. stacksave: d; stackrestore: a. Implemented in
// paths.cpp.
const Inst* stack_allocate(const Inst* inst, Warp& warp);
const Inst* stack_save(const Inst* inst, Warp& warp);
const Inst* stack_restore(const Inst* inst, Warp& warp);

// d = address of byte imm of the current function's .local variables.
const Inst* local_address32(const Inst* inst, Warp& warp);
const Inst* local_address64(const Inst* inst, Warp& warp);

// isspacep: d = whether address a is in the window that begins at imm. The spaces below have no window.
inline constexpr std::uint64_t kInGlobal = 0, kInConstant = 1, kInOwnShared = 2;  // these have none
const Inst* is_space(const Inst* inst, Warp& warp);

// d = the cycles since the warp began: all 64 bits, or the low or high half of them.
const Inst* clock64(const Inst* inst, Warp& warp);
const Inst* clock_low(const Inst* inst, Warp& warp);
const Inst* clock_high(const Inst* inst, Warp& warp);
// d = the same in nanoseconds.
const Inst* timer64(const Inst* inst, Warp& warp);
const Inst* timer_low(const Inst* inst, Warp& warp);
const Inst* timer_high(const Inst* inst, Warp& warp);

// Precedes a read of memory that other threads may write; imm = 1: other blocks, too.
const Inst* note_communication(const Inst* inst, Warp& warp);

const Inst* nothing(const Inst* inst, Warp& warp);

}  // namespace cudalab::vgpu::control
