// The smallest case that still fails.
#pragma once

#include <functional>

#include "course/cases/ranges.h"

namespace cudalab::course {

// The smallest case that `fails`, as `failing` does, with what is compiled as it is: each number as small as
// it goes while the others stay. Asks some dozens of times for each number.
Case smallest(Case failing, const Ranges& ranges, const std::function<bool(const Case&)>& fails);

}  // namespace cudalab::course
