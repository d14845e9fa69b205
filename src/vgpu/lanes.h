// Walks the lanes of a mask.
#pragma once

#include <bit>
#include <cstdint>

namespace cudalab::vgpu {

// function(lane) for each lane of the mask, from the lowest up.
template <class Function>
void for_each_lane(std::uint32_t lanes, Function function) {
  for (; lanes; lanes &= lanes - 1) function(std::countr_zero(lanes));
}

}  // namespace cudalab::vgpu
