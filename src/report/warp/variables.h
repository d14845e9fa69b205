// What a warp knows at a step: the source's variables where the code was compiled for a debugger, else the
// registers, each with the line that it comes from.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "report/warp/moments.h"
#include "vgpu/warp_trace.h"

namespace cudalab::report {

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

}  // namespace cudalab::report
