// The part of local memory that calls and alloca take: where it begins for a call, and when it is full.
#pragma once

#include <cstdint>

#include "vgpu/warp.h"

namespace cudalab::vgpu {

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

}  // namespace cudalab::vgpu
