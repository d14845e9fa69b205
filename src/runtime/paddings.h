// Which unwritten bytes of an array of structs are those that alignment leaves between members.
#pragma once

#include <cstddef>
#include <span>

#include "vgpu/memory/written_bits.h"

namespace cudalab::runtime {

// Whether the gaps in so many bytes are the same in each element of an array of structs, and each of them can
// be what the next member's alignment leaves.
bool are_paddings(std::span<const vgpu::ByteRun> gaps, std::size_t bytes);

}  // namespace cudalab::runtime
