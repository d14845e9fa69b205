// Finds the branches of a function that lead some threads away from all barriers that others may still reach.
#pragma once

#include <vector>

#include "vgpu/program.h"

namespace cudalab::vgpu {

// `code` is complete: its jumps have their targets.
void mark_branches_off_barriers(std::vector<Inst>& code, const Program& program);

}  // namespace cudalab::vgpu
