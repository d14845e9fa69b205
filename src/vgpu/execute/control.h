// Handlers of instructions that steer a warp: basic blocks, branches, calls, exits, and barriers of a block.
#pragma once

#include "vgpu/block.h"
#include "vgpu/warp.h"

namespace cudalab::vgpu {

// Barriers of a block: when one opens, whom that orders, and which threads have not come.

// Opens the barriers that have seen all the threads they wait for.
void open_barriers(Block& block);

// The same for one that names its number of threads, as soon as they have arrived: whoever else comes waits
// for the next time. Returns whether it opened.
bool open_if_complete(Block& block, int barrier);

}  // namespace cudalab::vgpu

namespace cudalab::vgpu::control {

// The handlers of instructions that steer a warp: starts of basic blocks, branches, barriers, calls, exits,
// guards.

// Every basic block begins with one: counts it, lets paths meet, ends a turn. site: its count; imm:
// its number of PTX instructions.
const Inst* basic_block_start(const Inst* inst, Warp& warp);

// Goes to `target`.
const Inst* jump(const Inst* inst, Warp& warp);
// Lanes where the predicate a (imm = 1: its negation) holds go to `target`, the others to `fallthrough`.
const Inst* branch(const Inst* inst, Warp& warp);
// The same where one way leads to no barrier any more and the other does; which, says kTakenLeave in imm. The
// lanes that go that way remember it.
const Inst* branch_off_barriers(const Inst* inst, Warp& warp);
inline constexpr std::uint64_t kTakenLeave = 2;
inline constexpr std::uint64_t kPassesBy =
    4;                             // in imm of a branch: it stands for the guard of another instruction
bool is_branch(const Inst& inst);  // one of these two
// brx.idx: each lane goes to entry a of the table with number imm. Both count in Warp::counts[site] when
// lanes part.
const Inst* branch_table(const Inst* inst, Warp& warp);

// Runs the next `site` instructions only in lanes where the predicate a (imm = 1: its negation) holds.
const Inst* guard(const Inst* inst, Warp& warp);

// `ret` and `exit`.
const Inst* leave(const Inst* inst, Warp& warp);
const Inst* exit_kernel(const Inst* inst, Warp& warp);
const Inst* trap(const Inst* inst, Warp& warp);

// bar.sync a[, b]: imm = 1 when all lanes of the warp must be there (.aligned).
const Inst* barrier(const Inst* inst, Warp& warp);
// bar.arrive a, b.
const Inst* barrier_arrive(const Inst* inst, Warp& warp);
// bar.red: the predicate c (imm bit 1: negated) takes part; a barrier_*_result follows.
const Inst* barrier_reduce(const Inst* inst, Warp& warp);
const Inst* barrier_count_result(const Inst* inst, Warp& warp);
const Inst* barrier_all_result(const Inst* inst, Warp& warp);
const Inst* barrier_any_result(const Inst* inst, Warp& warp);

// Waits until the lanes that the mask a names and that are alive are all here (imm: kNamesAll, kAsksAll).
// Precedes every *.sync instruction. warp_wide.cpp.
const Inst* gather_lanes(const Inst* inst, Warp& warp);
inline constexpr std::uint64_t kNamesAll = 1;  // the mask names all lanes
inline constexpr std::uint64_t kAsksAll = 2;   // the result depends on every lane that the mask names: a vote
// Some lanes end; those on the path may have waited for them.
void lanes_ended(Warp& warp, const Path& waiting, std::uint32_t lanes);
// bar.warp.sync: the same, but the lanes may wait at different barriers in the code.
const Inst* warp_barrier(const Inst* inst, Warp& warp);

// For the checks: imm is a Fence::Kind.
const Inst* fence(const Inst* inst, Warp& warp);

// For the checks: step imm of Program::value_steps; the same of a shuffle, which follows.
const Inst* follow_values(const Inst* inst, Warp& warp);
const Inst* follow_shuffle(const Inst* inst, Warp& warp);
const Inst* note_question(const Inst* inst, Warp& warp);

// For predicted times: an awaited read has its result d; imm: hand_over_trace.h.
const Inst* note_awaited(const Inst* inst, Warp& warp);

// The call with number imm; lanes come back to `target`. a: the callee's address for an indirect call.
const Inst* call(const Inst* inst, Warp& warp);

// alloca: d = the address, in local memory, of a bytes; imm: their alignment. stacksave: d; stackrestore: a.
// stack.cpp.
const Inst* stack_allocate(const Inst* inst, Warp& warp);
const Inst* stack_save(const Inst* inst, Warp& warp);
const Inst* stack_restore(const Inst* inst, Warp& warp);

// d = address of byte imm of the current function's .local variables.
const Inst* local_address32(const Inst* inst, Warp& warp);
const Inst* local_address64(const Inst* inst, Warp& warp);

// isspacep: d = whether the address a lies in the window that begins at imm.
inline constexpr std::uint64_t kInGlobal = 0, kInConstant = 1, kInOwnShared = 2;  // these have none
const Inst* is_space(const Inst* inst, Warp& warp);

// Clocks: d = a count that goes on while the kernel runs.
const Inst* clock32(const Inst* inst, Warp& warp);
const Inst* clock64(const Inst* inst, Warp& warp);

// A read of memory that other threads may write follows; imm = 1: that other blocks may write.
const Inst* note_communication(const Inst* inst, Warp& warp);

const Inst* nothing(const Inst* inst, Warp& warp);

}  // namespace cudalab::vgpu::control
