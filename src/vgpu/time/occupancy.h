// How many blocks of a launch a multiprocessor of a card holds at once, as NVIDIA's occupancy calculator
// counts.
#pragma once

#include <cstdint>
#include <optional>

#include "core/dim3.h"
#include "core/prediction.h"
#include "vgpu/card.h"

namespace cudalab::vgpu {

// Without resources registers limit nothing, which makes the result an upper bound. A launch that the card
// refuses, for its registers or shared memory, has 0 blocks. `static_shared_bytes`: as the PTX declares it,
// for a kernel whose resources are unknown.
Occupancy occupancy_of(const Card& card, const std::optional<KernelResources>& resources,
                       const LaunchSpec& spec, std::uint64_t static_shared_bytes = 0);

struct Launch;
Occupancy occupancy_of(const Launch& launch);
// The same if warps needed no place: those of a block that have ended give theirs back.
std::uint64_t block_places(const Launch& launch);
// 0: unknown.
int registers_of_thread(const Launch& launch);

}  // namespace cudalab::vgpu
