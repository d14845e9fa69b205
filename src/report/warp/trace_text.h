// The trace of a warp as lines of text, for people and scripts.
#pragma once

#include <string>
#include <string_view>

#include "compile/sources/declared_arrays.h"
#include "session/lane_text.h"
#include "vgpu/warp_trace.h"

namespace cudalab::report {

// The source that a warp executes.
struct TracedSource {
  std::string file;  // as the trace names it
  std::string_view text;
  compile::Macros given = {};  // macros given to the compiler
};

// "loads global in[0], in[1] … in[31] (32 lanes of 4 bytes) in 4 sectors"
Message access_sentence(const vgpu::TracedAccess& access, const session::ElementNames& names, int line);
// Says which warps wait at a barrier, and which have not arrived; no message if no warp waits.
Message who_waits(const std::vector<vgpu::WarpState>& warps);

// "%f1 = 0.5, 1, 1.5 … 16": the instruction's operands in the lanes that execute it.
std::string values_text(const vgpu::WarpTrace& trace, const vgpu::WarpStep& step);

// "i = 0; acc[0] … acc[3] = 0; sum = 0.5, 1, 1.5 … 16": neighbouring elements of one variable with the same
// value are named together. Shows the active lanes.
std::string variables_text(const std::vector<session::KnownValue>& values, std::uint32_t active);

// One line per source line that the warp executes; below it the loads and stores, divergence and
// reconvergence, barriers and hazards. With `instructions`, one line per instruction. Ends with a line end.
std::string trace_text(const vgpu::WarpTrace& trace, const TracedSource& source, bool instructions,
                       const Wording& wording = {});

}  // namespace cudalab::report
