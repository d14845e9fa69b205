// CUDA's printf: a format and the arguments as a kernel lays them out, as text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace cudalab::vgpu {

// Where the arguments come from: 4- and 8-byte values one after the other, each at a multiple of its size.
struct PrintfArguments {
  std::function<std::uint64_t(std::size_t offset, std::size_t bytes)> value;
  std::function<std::string(std::uint64_t address)> text;  // a C string of the device
};

// `conversions` counts the arguments used, which is what CUDA's printf returns.
std::string format_printf(std::string_view format, const PrintfArguments& arguments, int& conversions);

}  // namespace cudalab::vgpu
