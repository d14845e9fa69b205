// What a program prints about its own results: many programs compare them with the CPU's and end with code 0
// in any case.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace cudalab::course {

// The first line that says that a result is wrong: "Result = FAIL", "3 mismatches", "max error: 12.5",
// "correct: no". Errors of real numbers below kOwnTolerance do not count, because a program may print how
// exact it is.
inline constexpr double kOwnTolerance = 0.1;
std::optional<std::string> complaint_in(std::string_view output);

// Whether the string literals of a source contain such words, so it may be worth reading what it prints.
bool may_complain(std::string_view source);

}  // namespace cudalab::course
