// Computes how many blocks of a launch are resident on an SM at once, like NVIDIA's occupancy calculator.
#pragma once

#include <cstdint>
#include <optional>

#include "core/dim3.h"
#include "core/prediction.h"
#include "vgpu/card.h"

namespace cudalab::vgpu {

// Without `resources`, registers limit nothing, so the result is an upper bound. A launch that the GPU
// rejects because of its registers or shared memory has 0 blocks. `static_shared_bytes`: as declared in the
// PTX, for a kernel without resources.
Occupancy occupancy_of(const Card& card, const std::optional<KernelResources>& resources,
                       const LaunchSpec& spec, std::uint64_t static_shared_bytes = 0);

struct Launch;
Occupancy occupancy_of(const Launch& launch);
// Resident blocks if warp slots and registers were unlimited: a warp that has ended frees its own before its
// block ends.
std::uint64_t block_places(const Launch& launch);
// 0: unknown.
int registers_of_thread(const Launch& launch);

}  // namespace cudalab::vgpu
