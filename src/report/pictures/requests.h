// Draws one request of a warp on the sectors or shared memory banks that it touches, in full or in a few
// rows.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/languages/wording.h"
#include "core/measurement.h"
#include "report/pictures/picture.h"
#include "vgpu/warp_trace.h"

namespace cudalab::report {

// The picture of one request (report/pictures/requests.h), small enough to stand beside a source: its cells
// alone.

// What the columns of the rows are: banks, or sectors.
std::string heading_of_request(const vgpu::TracedAccess& access, const Wording& wording = {});

// Nothing for memory that has neither.
std::vector<std::string> request_rows(const vgpu::TracedAccess& access);

// Draws one request of a warp: on the sectors that it touches, and on the banks of shared memory, pass by
// pass.

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
Message place_of(const WarpRequest& request);

// "line 22: store in global memory, 4 bytes a thread": what all requests of the line have in common.
Message title_of_access(const LineRequests& line, const WarpRequest& request);

}  // namespace cudalab::report
