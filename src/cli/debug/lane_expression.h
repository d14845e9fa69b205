// Expressions over the variables of one thread, as conditions of breakpoints and watches need them:
// `threadIdx.x == 5 && s[threadIdx.x + 1] > 0.5`.
#pragma once

#include <functional>
#include <optional>
#include <string>

namespace cudalab::cli {

// The value of a variable, a member or an element: "i", "threadIdx.x", "tile[3][4]". Empty if there is none.
using LaneNames = std::function<std::optional<double>(const std::string& name)>;

// With C's operators, computed in double precision; integers are exact up to 2^53, and a quotient of integers
// is not rounded. Throws Error(kUsage) for an expression that cannot be read, and for an unknown name.
double evaluate_in_lane(const std::string& expression, const LaneNames& names);

}  // namespace cudalab::cli
