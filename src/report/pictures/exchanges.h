// Draws what the lanes of a warp do together: whose values they get by shuffles, what they vote, who of them
// match, of whom a reduction makes one value.
#pragma once

#include <vector>

#include "core/recording.h"
#include "report/pictures/picture.h"

namespace cudalab::report {

// Of each kind the line with the most of them, of several the first. Where `line` is not 0, that line of
// `file`.
std::vector<const LineExchanges*> telling_exchanges(const Recording& recording, const std::string& file,
                                                    int line);

// A row an instruction, downwards; a column a lane, and in it its answer.
Picture exchanges_picture(const LineExchanges& line);

}  // namespace cudalab::report
