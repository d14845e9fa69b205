// Which element each thread of the lab's kernels reads, and what a warp's requests touch of memory by that.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace cudalab::lab::read_offset {

// `element`: what a thread reads in a step, of A and of B; nothing where the thread has nothing to do.
struct Pattern {
  std::string name;  // of the row: "stride-2"
  std::size_t threads = 0, steps = 1;
  std::uint32_t block = 0;  // threads of a block: a warp ends where its block does
  std::function<std::optional<std::size_t>(std::size_t thread, std::size_t step)> element;
};

// On average over the requests. A line is 128 bytes, aligned: four sectors, and what cards of compute
// capability 2.x, which cached global loads in L1, brought in one transaction whatever was asked of it.
struct Touched {
  double sectors = 0, lines = 0;                  // a request
  double of_sectors_used = 0, of_lines_used = 0;  // per cent of their bytes
};

// Of an array that begins where a line does, with elements that are all unlike within a request. Looks at no
// more than the first million threads.
Touched touched(const Pattern& pattern, std::size_t element_bytes);

// A table: a line a pattern.
std::vector<std::string> lines_of_touched(const std::vector<Pattern>& patterns, std::size_t element_bytes);

// C[i] for each i whose element of A and B the strides reach: rounds of n / stride elements, one after the
// other, as in 4_stride.cu.
std::optional<std::size_t> strided(std::size_t i, std::size_t n, std::size_t stride, std::size_t offset);

// The numbers 0 … count - 1 in a random order (Fisher and Yates).
std::vector<std::uint32_t> random_order(std::size_t count, std::uint64_t stream);

}  // namespace cudalab::lab::read_offset
