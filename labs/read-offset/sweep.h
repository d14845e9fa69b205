// A sweep of the read-offset lab: the numbers that --sweep and --strides name, what was measured at each, and
// the bars and sentences that show it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace cudalab::lab::read_offset {

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

std::string sentence_on_period(const std::vector<Point>& points, const Sweep& sweep,
                               std::size_t element_bytes);
std::string sentence_on_times(const std::vector<Point>& points);

}  // namespace cudalab::lab::read_offset
