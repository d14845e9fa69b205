// The functions that the card's run time provides to kernels: vprintf, malloc, free, __assertfail, and
// those of launches from kernels.
#pragma once

#include <string_view>

#include "vgpu/warp.h"

namespace cudalab::vgpu {

// The number of a builtin for CallInfo::builtin, or -1.
int find_builtin(std::string_view name);

// Whether it matters to a builtin which block calls it first.
bool needs_block_order(int builtin);
bool launches_kernels(int builtin);

// Runs it for the executing lanes; arguments and results as at any call.
void run_builtin(const Inst* inst, Warp& warp, const CallInfo& info);

}  // namespace cudalab::vgpu
