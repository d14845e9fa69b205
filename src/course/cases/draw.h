// Cases that nobody knows beforehand: options drawn anew from their ranges, with the edges favoured where
// kernels go wrong.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "course/cases/ranges.h"

namespace cudalab::course {

inline constexpr std::size_t kVariants = 2;  // of the values that a kernel is compiled for, in a draw

// A draw: the same for a seed and a name on every machine, whoever runs it. At most `kVariants` different
// values of what is compiled, one from the lower and one from the upper half of each range. Of each a small
// case, one of any size, one of even sizes, and a large one; as many more that each option of `together` is
// large once. Empty where there are no ranges.
std::vector<Case> draw_cases(const Ranges& ranges, std::uint64_t seed, std::string_view name);
Case draw_case(const Ranges& ranges, std::uint64_t seed, std::string_view name);

}  // namespace cudalab::course
