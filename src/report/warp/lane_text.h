// A step of a warp as text: its lanes' addresses and values, and the variables known at that step.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/languages/wording.h"
#include "lab/running/source_facts.h"
#include "vgpu/warp_trace.h"

namespace cudalab::report {

// The steps of a warp by the lines of the source: what a reader who goes from line to line stops at.

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

// What a warp knows at a step: the source's variables where the code was compiled for a debugger, else the
// registers, each with the line that it comes from.

struct KnownValue {
  std::string name, type;  // "acc[1]", "float[4]"; "%f3", "f32"
  ptx::Type value_type{};
  std::uint32_t bytes = 0;       // a lane
  std::uint32_t lanes = 0;       // that have one
  std::uint32_t variable = ~0u;  // parts of one share it
  const std::array<std::uint64_t, vgpu::kWarpSize>* bits = nullptr;
  SourceLine where;  // that wrote it; of registers
};

// Goes along with a trace, forward.
class Variables {
 public:
  explicit Variables(const vgpu::WarpTrace& trace) : trace_(&trace) {}
  // Behind the trace's step with this index, which is not before the last that was asked for. An inner
  // variable hides an outer one of its name.
  std::vector<KnownValue> at(std::size_t step);
  // Those that the moment has changed, as they are behind it.
  std::vector<KnownValue> changed_by(const Moment& moment);

 private:
  const vgpu::WarpTrace* trace_;
  std::size_t next_ = 0;                                                      // step
  std::map<std::uint32_t, std::map<std::uint32_t, vgpu::LocalChange>> last_;  // by call, by local
};

// Registers that a step of the trace has written; the last first.
std::vector<KnownValue> registers_at(const vgpu::WarpTrace& trace, std::size_t step, const std::string& file);

// Lanes, their addresses and their values as text.

// "all 32", "0-7,12"; "none".
std::string lanes_text(std::uint32_t lanes, const Wording& wording = {});

// How the values of an operand are to be read: its type, or, where PTX says no more than how many bits there
// are, what all these bits look like.
ptx::Type shown_type(const vgpu::TracedValue& value, const std::array<std::uint64_t, vgpu::kWarpSize>& bits,
                     std::uint32_t lanes);
// "0.25", "-3", "0x7f0000000400"; of a float at most so many digits.
std::string value_text(ptx::Type type, std::uint32_t bytes, std::uint64_t bits, int digits = 6);

// The elements of buffers as the source names them.
class ElementNames {
 public:
  explicit ElementNames(std::string_view source, const lab::Macros& given = {})
      : shapes_(lab::array_shapes(source, given)) {}
  // "tile[3][4]", "in[4096]"; the address where it is in no buffer that has a name.
  std::string of(const vgpu::TracedAccess& access, std::size_t lane, int line) const;

 private:
  std::string indices(const std::string& name, std::uint64_t element, int line) const;
  std::vector<lab::DeclaredArray> shapes_;
};

}  // namespace cudalab::report
