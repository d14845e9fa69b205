// Numbers of a figure that belong together: curves over an axis, or spans of time in rows. Plain data that
// labs fill and the reports draw.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace cudalab::lab {

struct ChartAxis {
  std::string name, unit;  // "offset", "elements"; the unit may be empty
  bool is_logarithmic = false;
};

struct ChartCurve {
  std::string name;
  std::vector<std::pair<double, double>> points;
};

// A line of the slope on doubly logarithmic axes: y in proportion to x^exponent.
struct ChartSlope {
  std::string name;  // "order 2"
  double exponent = 0;
};

struct ChartSpan {
  std::string row, name;
  double begin = 0, end = 0;  // in the unit of x
};

struct Chart {
  ChartAxis x, y;
  std::vector<ChartCurve> curves;
  std::vector<ChartSlope> slopes;
  std::vector<ChartSpan> spans;
};

}  // namespace cudalab::lab
