// A GPU's own counters in the rows of a result.
#pragma once

#include <span>

#include "lab/result.h"

namespace cudalab::lab {

// Gives each row the counters of its launches. `kernels` holds those of every launch, in order, of a run with
// RunSettings::profiled. Throws Error(kUnavailable) where their number is not that of the launches.
void add_profile(Result& result, std::span<const Counters> kernels);

}  // namespace cudalab::lab
