// Applies a change to the launches of a program (core/programs/program_variant.h).
#pragma once

#include <string>

#include "core/programs/program_variant.h"
#include "runtime/modules/modules.h"
#include "runtime/streams/launching.h"
#include "vgpu/vgpu.h"

namespace cudalab::runtime {

// The shape with which a launch of the kernel runs.
KernelLaunch changed(const LaunchChange& change, const std::string& symbol, KernelLaunch shape);
// Exchanges arguments of the request.
void change_arguments(const LaunchChange& change, const std::string& symbol, const vgpu::KernelInfo& info,
                      vgpu::LaunchRequest& request);
// Before the kernel runs: fills memory with zeros.
void change_memory(const LaunchChange& change, const std::string& symbol, const vgpu::KernelInfo& info,
                   const vgpu::LaunchRequest& request);

}  // namespace cudalab::runtime
