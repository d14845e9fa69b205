// Where something that must begin at a multiple of a step may begin.
#pragma once

#include <cstdint>

namespace cudalab {

// The first multiple of `step`, which is not 0, from `value` on.
constexpr std::uint64_t round_up(std::uint64_t value, std::uint64_t step) {
  return (value + step - 1) / step * step;
}

}  // namespace cudalab
