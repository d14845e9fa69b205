// The picture of one request (report/pictures/requests.h), small enough to stand beside a source: its cells
// alone.
#pragma once

#include <string>
#include <vector>

#include "core/languages/wording.h"
#include "vgpu/warp_trace.h"

namespace cudalab::report {

// What the columns of the rows are: banks, or sectors.
std::string heading_of_request(const vgpu::TracedAccess& access, const Wording& wording = {});

// Nothing for memory that has neither.
std::vector<std::string> request_rows(const vgpu::TracedAccess& access);

}  // namespace cudalab::report
