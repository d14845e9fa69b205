// Draws whose values the lanes of a warp get by shuffles.
#pragma once

#include "core/recording.h"
#include "report/pictures/picture.h"

namespace cudalab::report {

// The line with the most shuffles; of several the first. Where `line` is not 0, that line of `file`. Null
// where there is none.
const LineExchanges* telling_exchanges(const Recording& recording, const std::string& file, int line);

// A row a shuffle, downwards; a column a lane, and in it the lane whose value it gets.
Picture exchanges_picture(const LineExchanges& line);

}  // namespace cudalab::report
