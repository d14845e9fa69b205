// Draws one request of a warp: on the sectors that it touches, and on the banks of shared memory, pass by
// pass.
#pragma once

#include <optional>
#include <string>

#include "core/recording.h"
#include "report/pictures/picture.h"

namespace cudalab::report {

// Global, local and texture memory: sectors of 32 bytes, used and wasted bytes in them. Rows of sectors stand
// in the order of their addresses; sectors that nobody touches are left out.
Picture sectors_picture(const LineRequests& line, const WarpRequest& request);

// Shared memory: a row a pass, a column a bank.
Picture banks_picture(const LineRequests& line, const WarpRequest& request);

// The one of the two that fits the memory of the line.
Picture request_picture(const LineRequests& line, const WarpRequest& request);

// Of an access of which only the sums are known: the request that all its lanes make, each as far from the
// one before as the sums say. Nothing where the lanes keep no distance, or such a request costs another
// number.
std::optional<Picture> regular_picture(const LineAccess& access);

// The request that shows best what a line costs: the worst where it was kept, else the first.
const WarpRequest& telling_request(const LineRequests& line);

// "block (1, 0, 0), warp 3"
std::string place_of(const WarpRequest& request);

}  // namespace cudalab::report
