// Where an axis has its marks, and how a number is written there.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace cudalab::report {

struct Scale {
  bool is_logarithmic = false;
  double low = 0, high = 1;        // at both ends; of a logarithmic one above 0
  std::vector<double> ticks = {};  // between them, ascending
  // 0 at the low end, 1 at the high end; NaN where a logarithmic axis has no place.
  double position(double value) const;
};

// Holds all values; at most `most` ticks, on multiples of 1, 2 or 5 times a power of ten. A logarithmic one
// has them at 1, 2 and 5 times each power of ten, or where that is too many at powers of ten. Linear ones
// begin at 0 where nothing is below and the values do not lie far from it. Of no values: from 0 to 1.
Scale scale_for(const std::vector<double>& values, bool is_logarithmic, std::size_t most);

// "0.5", "1000", "1e6", "2e-9": short, and unambiguous beside its neighbours.
std::string tick_text(double value);
// The same beside the scale's other ticks: powers of ten are written in one way along an axis.
std::string tick_text(double value, const Scale& scale);

}  // namespace cudalab::report
