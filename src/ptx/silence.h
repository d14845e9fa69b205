// Variants of a kernel in which data does not flow through some of its statements as before, to find out
// which statements carry data.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace cudalab::ptx {

// Statements that carry data between threads: exchanges (shuffles, votes, matches and warp reductions), and
// loads from shared memory, including those with generic addresses. Numbered in the order of the text,
// exchanges first.
struct Carriers {
  bool exchanges = false, shared_loads = false;
  friend bool operator==(const Carriers&, const Carriers&) = default;
};

std::size_t count_statements(std::string_view ptx, Carriers carriers);

// The same PTX without the statements for which `idle` is true. In their place, a shuffle or reduction yields
// the lane's own value, and the others yield 0. The lanes still synchronize.
std::string with_idle(std::string_view ptx, Carriers carriers, const std::vector<bool>& idle);

// The same PTX with taps behind the statements: each of their results passes through vgpu::ValueTaps, and so
// does the value that a lane gives to a shuffle or a reduction.
std::string with_taps(std::string_view ptx, Carriers carriers);

}  // namespace cudalab::ptx
