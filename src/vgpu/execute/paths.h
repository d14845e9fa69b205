// The paths of a warp's lanes: divergence at branches, waiting, reconvergence, calls, returns and the stack.
#pragma once

#include <bit>
#include <cstdint>

#include "vgpu/warp.h"

namespace cudalab::vgpu {

// The part of local memory that calls and alloca take: where it begins for a call, and when it is full.

// Local memory of a thread:  | .local variables | alloca | call | .local variables of the callee | …
// A call leaves at least the return address there, so that even an empty function cannot call itself for
// ever.
inline constexpr std::uint32_t kCallBytes = 16;

// What a thread has beyond the variables of all functions that a kernel can reach, where it calls itself,
// calls through pointers or uses alloca. (The card's default, cudaLimitStackSize, is 1024 bytes and rounded
// up.)
inline constexpr std::uint32_t kStackBytes = 16 * 1024;

// Registers of the calls that a warp is in: a limit on the host's memory.
inline constexpr std::size_t kMostFrameBytes = std::size_t{32} << 20;

// A new activation has nothing on its stack yet.
void clear_stack(Warp& warp, Frame& frame, std::uint32_t lanes);

// Where the local variables of a function begin that the active lanes call now. Throws
// KernelFault(kStackOverflow).
std::uint32_t place_callee(const Inst* call, const Warp& warp, const FunctionCode& callee);

[[noreturn]] void report_stack_overflow(const Inst* inst, const Warp& warp);

// Where the lanes of a warp go: parting at branches, waiting, meeting again, calls and returns.
//
// A warp is a set of paths (warp.h); one runs, the others are parked. The running path is the one in the
// deepest call whose next instruction stands first; code is laid out (control_flow.h) so that this makes
// lanes meet again as soon as they can. A path that runs very long while others are parked gives way to them,
// as on cards since Volta, where lanes of one warp can wait for each other.

// Starts a warp at the entry of a function with these lanes.
void start_warp(Warp& warp, const FunctionCode& function, std::uint32_t lanes);

// Takes a path to run and returns its next instruction; nullptr, with Warp::outcome set, where none can run.
const Inst* next_path(Warp& warp);
bool has_runnable_path(const Warp& warp);

void park(Warp& warp, const Path& path);

// These go on from here, and no others.
inline void set_active(Warp& warp, std::uint32_t lanes) {
  warp.active = warp.exec = lanes;
  warp.active_count = static_cast<std::uint32_t>(std::popcount(lanes));
}

// The active lanes part: those in `taken` go to `target`, the others to `fallthrough`.
const Inst* diverge(Warp& warp, std::uint32_t taken, const Inst* target, const Inst* fallthrough);

// The start of a basic block that other paths stand at or before.
const Inst* meet(const Inst* basic_block_start, Warp& warp);

// The path has used up its turn at this start of a basic block.
const Inst* yield(const Inst* basic_block_start, Warp& warp);

// The active lanes are done with the kernel.
const Inst* exit_lanes(Warp& warp);

// The active lanes enter a function; they come back to `return_to`.
const Inst* enter_function(const Inst* call, Warp& warp, const FunctionCode& callee, const CallInfo& info,
                           const Inst* return_to);
// The active lanes leave it.
const Inst* leave_function(Warp& warp);

}  // namespace cudalab::vgpu
