// Expressions over the variables of one thread, for conditional breakpoints and watches: `threadIdx.x == 5 &&
// s[threadIdx.x + 1] > 0.5`.
#pragma once

#include <functional>
#include <optional>
#include <string>

namespace cudalab::session {

// Looks up a variable, a member or an element: "i", "threadIdx.x", "tile[3][4]". Empty if the name is
// unknown.
using LaneNames = std::function<std::optional<double>(const std::string& name)>;

// Supports C's operators and computes in double precision: integers are exact up to 2^53, and the quotient of
// two integers is not truncated. Throws Error(kUsage) for a syntax error or an unknown name.
double evaluate_in_lane(const std::string& expression, const LaneNames& names);

}  // namespace cudalab::session
