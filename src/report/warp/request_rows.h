// The picture of one request (report/pictures/requests.h), small enough to stand beside a source: its cells
// alone.
#pragma once

#include <string>
#include <vector>

#include "vgpu/warp_trace.h"

namespace cudalab::report {

// What the columns of the rows are: banks, or sectors.
std::string heading_of_request(const vgpu::TracedAccess& access);

// At most `most` rows; the last says how many are left out. Nothing for memory that has neither.
std::vector<std::string> request_rows(const vgpu::TracedAccess& access, std::size_t most);

}  // namespace cudalab::report
