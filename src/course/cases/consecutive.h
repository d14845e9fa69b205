// Sizes in a row: one of them has whatever remainder a kernel is wrong for.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "course/cases/ranges.h"

namespace cudalab::course {

// Small cases in which each option of whole numbers takes so many values in a row, or all where it has fewer,
// each in an order of its own: whatever is wrong for one remainder of a size, up to that number, is wrong in
// one of them. Where the row begins is drawn, and what is not a size in steps of 1 is drawn for each case.
// What is compiled is that variant of draw_cases (course/cases/draw.h) that leaves most room.
inline constexpr std::int64_t kInARow = 33;
std::vector<Case> draw_consecutive(const Ranges& ranges, std::uint64_t seed, std::string_view name);

}  // namespace cudalab::course
