// A kernel that executes some instructions, with its inputs: run on a GPU, whose results are recorded, and on
// the virtual GPU.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <vector>

#include "vgpu/matrices/mma.h"

namespace cudalab::vgpu::probes {

// `.entry probe(.param .u64 in, .param .u64 out)`, launched with `blocks` blocks of `threads` threads.
struct Probe {
  std::string name;
  std::string ptx;
  std::vector<std::uint32_t> inputs;
  std::size_t results = 0;  // words
  unsigned blocks = 1, threads = 32;
  // Tolerance for sums of floats whose rounding is specific to the GPU, relative to the sum of the products'
  // magnitudes; 0: bit for bit.
  double tolerance = 0;
  Element result{};  // if there is a tolerance
};

inline std::string module_of(const std::string& body, const std::string& directives = "",
                             const std::string& before = "") {
  return fmt::format(
      ".version 8.4\n.target sm_90\n.address_size 64\n{}.visible .entry probe(.param .u64 in, .param .u64 "
      "out)\n{}{{\n.reg .pred %p<9>;\n.reg .b16 %h<9>;\n.reg .b32 %r<150>;\n.reg .b64 %rd<20>;\n.reg .f64 "
      "%fd<60>;\nld.param.u64 %rd1, [in];\nld.param.u64 %rd2, [out];\nmov.u32 %r0, %tid.x;\n{}ret;\n}}\n",
      before, directives, body);
}

}  // namespace cudalab::vgpu::probes
