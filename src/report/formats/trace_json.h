// The trace of a warp as the document `cudalab.trace/1`, described by docs/trace.schema.json.
#pragma once

#include <set>
#include <string>

#include "core/dim3.h"
#include "report/tool.h"
#include "vgpu/warp_trace.h"

namespace cudalab::report {

// The launch that the trace belongs to.
struct TracedLaunch {
  std::string kernel, file;
  std::uint64_t number = 0;  // counted from 1
  LaunchSpec spec;
  std::set<int> breakpoints = {};  // lines of the file where the reader wants to stop
};

// One line per step. Ends with a line end.
std::string trace_json_text(const vgpu::WarpTrace& trace, const TracedLaunch& launch, const Tool& tool);

}  // namespace cudalab::report
