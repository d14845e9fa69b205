// One request of a warp, drawn small enough to stand beside a source: on the sectors that it touches, or on
// the banks of shared memory, pass by pass.
#pragma once

#include <string>
#include <vector>

#include "vgpu/warp_trace.h"

namespace cudalab::report {

// The character that a lane is drawn as: 0-9, a-v.
char glyph_of_lane(std::size_t lane);

// What the columns of the rows are: banks, or sectors.
std::string heading_of_request(const vgpu::TracedAccess& access);

// At most `most` rows; the last says how many are left out. Nothing for memory that has neither.
std::vector<std::string> request_rows(const vgpu::TracedAccess& access, std::size_t most);

}  // namespace cudalab::report
