// Improves the advice for races between threads of a block, using the barriers that are already in the code.
#pragma once

#include <vector>

#include "core/measurement.h"
#include "vgpu/program.h"

namespace cudalab::vgpu {

// For races between a read and a write. If both are one statement and a barrier separates its executions, no
// barrier can stand between them. If a barrier separates the write from the read, but not the read from the
// next write, the missing barrier is the one after the read.
void consider_barriers(std::vector<Hazard>& hazards, const Program& program);

}  // namespace cudalab::vgpu
