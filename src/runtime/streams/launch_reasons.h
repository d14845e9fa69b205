// Explains the hazards of a program's kernel by what the host did before: the arguments of the launch, the
// allocations, and the copies.
#pragma once

#include <cstdint>
#include <map>

#include "core/measurement.h"
#include "vgpu/vgpu.h"

namespace cudalab::runtime {

// By the address of a block that no copy or memset has filled as a whole: the bytes that have been written to
// it.
using WrittenBefore = std::map<std::uint64_t, std::uint64_t>;

// The blocks to which arguments of the launch point, before it runs.
WrittenBefore written_before(const vgpu::KernelInfo& kernel, const vgpu::LaunchRequest& request);

// Changes the descriptions and the advice of the launch's hazards, and reports the host calls that caused
// them (Records::send), each buffer once.
void explain_by_program(LaunchResult& result, const vgpu::KernelInfo& kernel,
                        const vgpu::LaunchRequest& request, const WrittenBefore& before);

}  // namespace cudalab::runtime
