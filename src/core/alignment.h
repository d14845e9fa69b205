// Rounds offsets and addresses up to an alignment.
#pragma once

#include <cstdint>

namespace cudalab {

// The smallest multiple of `step` that is at least `value`. `step` must not be 0.
constexpr std::uint64_t round_up(std::uint64_t value, std::uint64_t step) {
  return (value + step - 1) / step * step;
}

}  // namespace cudalab
