// Finds simpler failing cases: consecutive sizes, and the smallest case that still fails.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "course/cases/ranges.h"

namespace cudalab::course {

// Sizes in a row: one of them has whatever remainder a kernel is wrong for.

// Small cases in which each option of whole numbers takes so many values in a row, or all where it has fewer,
// each in an order of its own: whatever is wrong for one remainder of a size, up to that number, is wrong in
// one of them. Where the row begins is drawn, and what is not a size in steps of 1 is drawn for each case.
// What is compiled is that variant of draw_cases (course/cases/ranges.h) that leaves most room.
inline constexpr std::int64_t kInARow = 33;
std::vector<Case> draw_consecutive(const Ranges& ranges, std::uint64_t seed, std::string_view name);

// The smallest case that still fails.

// The smallest case that `fails`, as `failing` does, with what is compiled as it is: each number as small as
// it goes while the others stay. Asks some dozens of times for each number.
Case smallest(Case failing, const Ranges& ranges, const std::function<bool(const Case&)>& fails);

}  // namespace cudalab::course
