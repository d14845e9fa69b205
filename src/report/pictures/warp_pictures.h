// Pictures of a warp over time: where its lanes diverge, and what they exchange by shuffles and votes.
#pragma once

#include <optional>
#include <vector>

#include "core/measurement.h"
#include "report/pictures/picture.h"

namespace cudalab::report {

// Draws which lanes of a warp go where, over time.

// The warp whose lanes part most; of several the first. Where `line` is not 0, of those that come to this
// line of `file` with a part of their lanes. Null where there is none.
const WarpPaths* telling_warp(const Recording& recording, const std::string& file, int line);

// A row a step, downwards; a column a lane.
Picture divergence_picture(const WarpPaths& warp);

// Draws what the lanes of a warp do together: whose values they get by shuffles, what they vote, who of them
// match, of whom a reduction makes one value.

// Of each kind the line with the most of them, of several the first. Where `line` is not 0, that line of
// `file`.
std::vector<const LineExchanges*> telling_exchanges(const Recording& recording, const std::string& file,
                                                    int line);

// A row an instruction, downwards; a column a lane, and in it its answer.
Picture exchanges_picture(const LineExchanges& line);

}  // namespace cudalab::report
