// Lanes, their addresses and their values as text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/languages/wording.h"
#include "lab/running/array_shapes.h"
#include "vgpu/warp_trace.h"

namespace cudalab::report {

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
