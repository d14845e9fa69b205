// A step of a warp as text: its lanes' addresses and values, and the variables known at that step.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "compile/sources/declared_arrays.h"
#include "core/languages/wording.h"
#include "vgpu/warp_trace.h"

namespace cudalab::session {

// A warp's steps grouped by source line, for readers who step line by line.

// A moment: consecutive steps on one line with the same active lanes. A step at which lanes diverge or that
// waits at a barrier ends its moment.
struct Moment {
  std::size_t first = 0, last = 0;  // indices into WarpTrace::steps, both inclusive
  SourceLine where;
  std::uint32_t active = 0;
  bool parts = false, meets = false, is_barrier = false, has_hazard = false;
};
std::vector<Moment> moments_of(const vgpu::WarpTrace& trace, const std::string& file);

// The line of `file` that the instruction belongs to, also if it was inlined from a header; else its own
// line.
SourceLine line_in(const vgpu::TracedInstruction& instruction, const std::string& file);

// The values known at a step: the source's variables if the code was compiled for a debugger, else the
// registers, each with the line that wrote it.

struct KnownValue {
  std::string name, type;  // "acc[1]", "float[4]"; "%f3", "f32"
  ptx::Type value_type{};
  std::uint32_t bytes = 0;       // per lane
  std::uint32_t lanes = 0;       // the lanes that have a value
  std::uint32_t variable = ~0u;  // the same for all parts of one variable
  const std::array<std::uint64_t, vgpu::kWarpSize>* bits = nullptr;
  SourceLine where;  // the line that wrote a register; empty for variables
  bool is_argument = false;
};

// Reads a trace step by step, forward only.
class Variables {
 public:
  explicit Variables(const vgpu::WarpTrace& trace) : trace_(&trace) {}
  // The variables after the step with this index, which must not be before that of the previous call. An
  // inner variable hides an outer one of the same name.
  std::vector<KnownValue> at(std::size_t step);
  bool can_read(const vgpu::WarpTrace& trace, std::size_t step) const {
    return trace_ == &trace && step + 1 >= next_;
  }
  // The variables that the moment changed, with their values after it.
  std::vector<KnownValue> changed_by(const Moment& moment);

 private:
  const vgpu::WarpTrace* trace_;
  std::size_t next_ = 0;  // next step to read
  // Latest values, by call and by local.
  std::map<std::uint32_t, std::map<std::uint32_t, vgpu::LocalChange>> last_;
};

// The registers written up to a step of the trace, the most recent first.
std::vector<KnownValue> registers_at(const vgpu::WarpTrace& trace, std::size_t step, const std::string& file);

// Lanes, their addresses and their values as text.

// "all 32", "0-7,12"; "none".
std::string lanes_text(std::uint32_t lanes, const Wording& wording = {});

// The type as which an operand is shown: its own type, or, if PTX gives only the number of bits, the type
// that all the bits look like.
ptx::Type shown_type(const vgpu::TracedValue& value, const std::array<std::uint64_t, vgpu::kWarpSize>& bits,
                     std::uint32_t lanes);
// "0.25", "-3", "0x7f0000000400"; a float is rounded to `digits` significant digits.
std::string value_text(ptx::Type type, std::uint32_t bytes, std::uint64_t bits, int digits = 6);

// Names the elements of buffers as the source does.
class ElementNames {
 public:
  explicit ElementNames(std::string_view source, const compile::Macros& given = {})
      : shapes_(compile::array_shapes(source, given)) {}
  // "tile[3][4]", "in[4096]"; the address if it is in no named buffer.
  std::string of(const vgpu::TracedAccess& access, std::size_t lane, int line) const;

 private:
  std::string indices(const std::string& name, std::uint64_t element, int line) const;
  std::vector<compile::DeclaredArray> shapes_;
};

}  // namespace cudalab::session
