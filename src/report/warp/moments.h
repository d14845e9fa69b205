// The steps of a warp by the lines of the source: what a reader who goes from line to line stops at.
#pragma once

#include <string>
#include <vector>

#include "vgpu/warp_trace.h"

namespace cudalab::report {

// Steps one behind the other of one line, with the same lanes. A step that parts lanes or waits at a barrier
// is the last of its moment.
struct Moment {
  std::size_t first = 0, last = 0;  // indices into WarpTrace::steps; the last is one of them
  SourceLine where;
  std::uint32_t active = 0;
  bool parts = false, meets = false, is_barrier = false, has_hazard = false;
};
std::vector<Moment> moments_of(const vgpu::WarpTrace& trace, const std::string& file);

// The line of `file` that the instruction is of, where it comes from a header that the line calls; else its
// own.
SourceLine line_in(const vgpu::TracedInstruction& instruction, const std::string& file);

}  // namespace cudalab::report
