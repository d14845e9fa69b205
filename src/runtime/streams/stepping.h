// Stops a program at the launch that somebody in another process wants to look into (`cudalab step`), and
// answers that process's questions about it.
#pragma once

#include <cstdint>
#include <string>

#include "runtime/modules/modules.h"
#include "vgpu/vgpu.h"

namespace cudalab::runtime {

// Does not return where this is the launch, counted from 1: when all is answered, the program ends.
void stop_if_looked_into(const LoadedKernel& kernel, const vgpu::LaunchRequest& request,
                         const std::string& symbol, std::uint64_t number);

}  // namespace cudalab::runtime
