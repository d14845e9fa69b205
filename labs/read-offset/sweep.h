// The read-offset lab's sweep: the access patterns of its kernels, the offsets and strides to try, and what
// was measured at each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lab/lab.h"

namespace cudalab::lab::read_offset {

// Which element each thread of the lab's kernels reads, and what a warp's requests touch of memory by that.

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

// A sweep of the read-offset lab: the numbers that --sweep and --strides name, what was measured at each, and
// the bars and sentences that show it.

struct Sweep {
  std::vector<std::size_t> values;
  std::size_t step = 0;  // between neighbours; 0 for a list
  std::size_t last() const;
};

// From FIRST:LAST, FIRST:LAST:STEP or A,B,C. Throws a usage error that names the option.
Sweep parse_sweep(std::string_view option, const std::string& text);

// One offset or stride of a sweep: sectors a request where the device counts, GB/s where it measures time.
struct Point {
  std::size_t value;
  double sectors = 0, percent = 0, gb_s = 0;
  bool is_predicted = false;  // gb_s
};

// The largest value of a member; 0 where there is no point.
double most(const std::vector<Point>& points, double Point::*member);

std::vector<std::string> bars_of_sectors(const std::vector<Point>& points);
std::vector<std::string> bars_of_rates(const std::vector<Point>& points);
// The lines of bars_of_sectors that touch more sectors than the best ones.
std::vector<std::size_t> costly(const std::vector<Point>& points);

Message sentence_on_period(const std::vector<Point>& points, const Sweep& sweep, std::size_t element_bytes);
Message sentence_on_times(const std::vector<Point>& points);

}  // namespace cudalab::lab::read_offset
