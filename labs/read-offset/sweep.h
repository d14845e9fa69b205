// The read-offset lab's sweep: the access patterns of its kernels, the offsets and strides to try, and the
// measurements.
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

// The elements that each thread of a kernel reads, and the memory that the requests of its warps touch.

// `element`: the element of A and of B that a thread reads in a step; empty if the thread is idle.
struct Pattern {
  std::string name;  // of the table row: "stride-2"
  std::size_t threads = 0, steps = 1;
  std::uint32_t block = 0;  // threads per block; the last warp of a block may be partial
  std::function<std::optional<std::size_t>(std::size_t thread, std::size_t step)> element;
};

// Averages over all requests. A line is 128 aligned bytes, which is four sectors. GPUs that cache global
// loads in L1 with 128-byte transactions (compute capability 2.x, and 3.x where enabled) always fetch whole
// lines.
struct Touched {
  double sectors = 0, lines = 0;                  // per request
  double of_sectors_used = 0, of_lines_used = 0;  // percentage of their bytes that the request uses
};

// For an array that begins at a line boundary, and requests whose elements are distinct. Examines at most the
// first million threads.
Touched touched(const Pattern& pattern, std::size_t element_bytes);

// A table with one line per pattern.
std::vector<std::string> lines_of_touched(const std::vector<Pattern>& patterns, std::size_t element_bytes);

// The element of A and B that C[i] uses, or empty if the strides do not reach it. As in 4_stride.cu, rounds
// of n / stride elements follow each other.
std::optional<std::size_t> strided(std::size_t i, std::size_t n, std::size_t stride, std::size_t offset);

// The numbers 0 … count - 1 in random order (Fisher-Yates shuffle).
std::vector<std::uint32_t> random_order(std::size_t count, std::uint64_t stream);

// A sweep of the read-offset lab: the values of --sweep and --strides, the measurements at each value, and
// the bars and sentences that show them.

struct Sweep {
  std::vector<std::size_t> values;
  std::size_t step = 0;  // distance between values; 0 for a list
  std::size_t last() const;
};

// Parses FIRST:LAST, FIRST:LAST:STEP or A,B,C. Throws a usage error that names the option.
Sweep parse_sweep(std::string_view option, const std::string& text);

// One offset or stride of a sweep: sectors per request if the device counts them, GB/s if it measures time.
struct Point {
  std::size_t value;
  double sectors = 0, percent = 0, gb_s = 0;
  bool is_predicted = false;  // whether gb_s is a prediction
};

// The largest value of a member; 0 if there are no points.
double most(const std::vector<Point>& points, double Point::*member);

// The value at which the bars of a member start. It is 0 if the shortest bar is visibly shorter than the
// longest; otherwise a round number below the smallest value, which makes the differences visible.
double start_of_bars(const std::vector<Point>& points, double Point::*member);

std::vector<std::string> bars_of_sectors(const std::vector<Point>& points);
std::vector<std::string> bars_of_rates(const std::vector<Point>& points);
// The lines of bars_of_sectors with more sectors than the best ones.
std::vector<std::size_t> costly(const std::vector<Point>& points);

Message sentence_on_period(const std::vector<Point>& points, const Sweep& sweep, std::size_t element_bytes);
Message sentence_on_times(const std::vector<Point>& points);

}  // namespace cudalab::lab::read_offset
