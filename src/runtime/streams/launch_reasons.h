// Explains the hazards of a program's kernel by what the host did before: the arguments of the launch, the
// allocations, and the copies.
#pragma once

#include "core/measurement.h"
#include "vgpu/vgpu.h"

namespace cudalab::runtime {

// Changes the descriptions and the advice of the launch's hazards, and reports the host calls that caused
// them (Records::send), each buffer once.
void explain_by_program(LaunchResult& result, const vgpu::KernelInfo& kernel,
                        const vgpu::LaunchRequest& request);

}  // namespace cudalab::runtime
