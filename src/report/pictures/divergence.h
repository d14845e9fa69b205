// Draws which lanes of a warp go where, over time.
#pragma once

#include <optional>

#include "core/recording.h"
#include "report/pictures/picture.h"

namespace cudalab::report {

// The warp whose lanes part most; of several the first. Where `line` is not 0, of those that come to this
// line of `file` with a part of their lanes. Null where there is none.
const WarpPaths* telling_warp(const Recording& recording, const std::string& file, int line);

// A row a step, downwards; a column a lane.
Picture divergence_picture(const WarpPaths& warp);

}  // namespace cudalab::report
