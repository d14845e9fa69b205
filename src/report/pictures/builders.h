// Builds the pictures of a run: a warp's requests, its lanes over time, time and memory costs, curves and
// timelines, and wrong elements.
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

// The picture of one request in a few rows: only its cells, to fit next to a source.

// The heading of the rows' columns: banks, or sectors.
std::string heading_of_request(const vgpu::TracedAccess& access, const Wording& wording = {});

// Empty for memory that has neither.
std::vector<std::string> request_rows(const vgpu::TracedAccess& access);

// Draws one request of a warp: on the sectors that it touches, or on the banks of shared memory, by
// wavefronts.

// Global, local and texture memory: sectors of 32 bytes with their used and wasted bytes. Rows of sectors are
// ordered by address; sectors that no lane accesses are left out.
Picture sectors_picture(const LineRequests& line, const WarpRequest& request);

// Shared memory: one row per wavefront, one column per bank.
Picture banks_picture(const LineRequests& line, const WarpRequest& request);

// The one of the two that suits the memory of the line.
Picture request_picture(const LineRequests& line, const WarpRequest& request);

// The picture of an access for which only sums are known: a request of all lanes with the recorded stride.
// Empty if the lanes have no constant stride, or if such a request would have another cost than counted.
std::optional<Picture> regular_picture(const LineAccess& access);

// The request that shows a line's cost best: the worst if it was recorded, else the first.
const WarpRequest& telling_request(const LineRequests& line);

// "block (1, 0, 0), warp 3"
Message place_of(const WarpRequest& request);

// "line 22: store in global memory, 4 bytes per thread": what all requests of the line have in common.
Message title_of_access(const LineRequests& line, const WarpRequest& request);

// Draws which lanes of a warp execute which line, over time.

// The warp that diverges most; the first if there are several. If `line` is not 0, only warps that reach this
// line of `file` with some of their lanes. Null if there is none.
const WarpPaths* telling_warp(const Recording& recording, const std::string& file, int line);

// One row per step, downwards; one column per lane.
Picture divergence_picture(const WarpPaths& warp);

// Draws how the lanes of a warp cooperate: shuffles, votes, matches and reductions.

// For each kind, the line with the most exchanges; the first if there are several. If `line` is not 0, that
// line of `file`.
std::vector<const LineExchanges*> telling_exchanges(const Recording& recording, const std::string& file,
                                                    int line);

// One row per instruction, downwards; one column per lane with the lane's result.
Picture exchanges_picture(const LineExchanges& line);

// The lines that the kernel executed and those between them; empty if nothing was counted. `source`: the text
// of row.source.
std::optional<Picture> source_picture(const lab::Row& row, std::string_view source);

// The share of the predicted time that each resource would need alone; empty without a predicted time.
std::optional<Picture> limits_picture(const lab::Row& row);

// The warp slots of an SM, filled block by block; empty without a predicted time.
std::optional<Picture> occupancy_picture(const lab::Row& row);

// The time of each stage: measured, predicted, recorded; empty without times.
std::optional<Picture> stages_picture(const lab::Result& result);

// All stages under the GPU's roofline; empty if report/text/limits.h has none.
std::optional<Picture> roofline_picture(const lab::Result& result);

// Empty if the figure has no curves.
std::optional<Picture> curve_picture(const lab::Figure& figure);
// Empty if the figure has no time spans.
std::optional<Picture> timeline_picture(const lab::Figure& figure);

// The streams of a program in predicted time; empty if nothing ran.
std::optional<Picture> timeline_picture(const device::ProgramLog& log);

// The whole array, if it is larger than the part shown element by element, then that part. Empty if no
// element is wrong, or their places are unknown.
std::vector<Picture> matrix_pictures(const lab::Row& row);

// "every 2nd row (1, 3, 5, ...)", "columns from 32 on"; no message if the wrong elements have no pattern of
// rows and columns.
Message wrong_pattern(const lab::WrongMap& map);

}  // namespace cudalab::report
