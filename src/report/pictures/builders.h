// Builds the pictures of a run: a warp's requests, what its lanes do over time, where time and memory go,
// curves and timelines, and wrong elements.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/languages/wording.h"
#include "core/measurement.h"
#include "device/programs/program_log.h"
#include "lab/result.h"
#include "lab/verification/verification.h"
#include "report/pictures/picture.h"
#include "vgpu/warp_trace.h"

namespace cudalab::report {

// The picture of one request, small enough to stand beside a source: its cells alone.

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

// The lines that the kernel executed and those between them; nothing where nothing was counted. `source`: the
// text of row.source.
std::optional<Picture> source_picture(const lab::Row& row, std::string_view source);

// How much of the predicted time each resource would take alone; nothing where no time is predicted.
std::optional<Picture> limits_picture(const lab::Row& row);

// A multiprocessor's places for warps, filled block by block; nothing where no time is predicted.
std::optional<Picture> occupancy_picture(const lab::Row& row);

// The time of each stage: measured, predicted, recorded; nothing where there are no times.
std::optional<Picture> stages_picture(const lab::Result& result);

// All stages under both ceilings of the card; nothing where report/text/limits.h has none.
std::optional<Picture> roofline_picture(const lab::Result& result);

// Nothing where the figure holds no curves.
std::optional<Picture> curve_picture(const lab::Figure& figure);
// Nothing where it holds no spans of time.
std::optional<Picture> timeline_picture(const lab::Figure& figure);

// The streams of a program on the model's clock; nothing where nothing ran.
std::optional<Picture> timeline_picture(const device::ProgramLog& log);

// The array as a whole where it is larger than the part that is shown element by element, then that part.
// Empty where nothing is wrong, or nobody knows where.
std::vector<Picture> matrix_pictures(const lab::Row& row);

// "every 2nd row (1, 3, 5, ...)", "columns from 32 on"; no message where the wrong elements make no pattern
// of rows and columns.
Message wrong_pattern(const lab::WrongMap& map);

}  // namespace cudalab::report
