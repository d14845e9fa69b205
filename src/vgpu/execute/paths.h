// Where the lanes of a warp go: parting at branches, waiting, meeting again, calls and returns.
//
// A warp is a set of paths (warp.h); one runs, the others are parked. The running path is the one in the
// deepest call whose next instruction stands first; code is laid out (control_flow.h) so that this makes
// lanes meet again as soon as they can. A path that runs very long while others are parked gives way to them,
// as on cards since Volta, where lanes of one warp can wait for each other.
#pragma once

#include <bit>
#include <cstdint>

#include "vgpu/warp.h"

namespace cudalab::vgpu {

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
