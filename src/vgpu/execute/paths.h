// The paths of a warp: divergence at branches, waiting, reconvergence, calls, returns and the stack.
#pragma once

#include <bit>
#include <cstdint>

#include "vgpu/warp.h"

namespace cudalab::vgpu {

// The stack: the part of local memory that calls and alloca use.

// Local memory of a thread:  | .local variables | alloca | call | .local variables of the callee | …
// Each call takes at least the size of a return address, so even an empty function cannot recurse forever.
inline constexpr std::uint32_t kCallBytes = 16;

// Stack size per thread, in addition to the variables of all functions that a kernel can reach, for kernels
// with recursion, indirect calls or alloca. (The GPU's default, cudaLimitStackSize, is 1024 bytes, rounded
// up.)
inline constexpr std::uint32_t kStackBytes = 16 * 1024;

// Maximum size of the registers of all active calls of a warp; limits host memory.
inline constexpr std::size_t kMostFrameBytes = std::size_t{32} << 20;

// Resets the stack of a new activation.
void clear_stack(Warp& warp, Frame& frame, std::uint32_t lanes);

// Start of the local variables for a call by the active lanes. Throws KernelFault(kStackOverflow).
std::uint32_t place_callee(const Inst* call, const Warp& warp, const FunctionCode& callee);

[[noreturn]] void report_stack_overflow(const Inst* inst, const Warp& warp);

// Schedules the lanes of a warp: divergence at branches, waiting, reconvergence, calls and returns.
//
// A warp is a set of paths (warp.h); one runs, the others are parked. The running path is the one in the
// deepest call whose next instruction comes first in the code. The code is laid out (basic_block_layout.h)
// such that this order reconverges lanes as early as possible. A path that runs for long while others are
// parked yields to them, as on GPUs since Volta, where lanes of one warp can wait for each other.

// Starts a warp at the entry of a function.
void start_warp(Warp& warp, const FunctionCode& function, std::uint32_t lanes);

// Selects a path to run and returns its next instruction; nullptr, with Warp::outcome set, if none can run.
const Inst* next_path(Warp& warp);
bool has_runnable_path(const Warp& warp);

void park(Warp& warp, const Path& path);

// Makes exactly these lanes active.
inline void set_active(Warp& warp, std::uint32_t lanes) {
  warp.active = warp.exec = lanes;
  warp.active_count = static_cast<std::uint32_t>(std::popcount(lanes));
}

// The active lanes diverge: those in `taken` continue at `target`, the others at `fallthrough`.
const Inst* diverge(Warp& warp, std::uint32_t taken, const Inst* target, const Inst* fallthrough);

// Handles the start of a basic block where other paths may reconverge with this one, or are still before it.
const Inst* meet(const Inst* basic_block_start, Warp& warp);

// Ends the time slice of the path at this start of a basic block.
const Inst* yield(const Inst* basic_block_start, Warp& warp);

// The active lanes exit the kernel.
const Inst* exit_lanes(Warp& warp);

// The active lanes enter a function; they return to `return_to`.
const Inst* enter_function(const Inst* call, Warp& warp, const FunctionCode& callee, const CallInfo& info,
                           const Inst* return_to);
// The active lanes return from the function.
const Inst* leave_function(Warp& warp);

}  // namespace cudalab::vgpu
