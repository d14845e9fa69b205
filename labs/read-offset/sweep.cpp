#include "sweep.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "lab/lab.h"

namespace cudalab::lab::read_offset {
namespace {

constexpr std::size_t kSectorBytes = 32;
constexpr std::size_t kBarLength = 40;   // characters of the longest bar
constexpr std::size_t kMostRows = 4096;  // of a sweep

// The numbers between `separator`s; empty where there is anything else.
std::vector<std::size_t> numbers_in(std::string_view text, char separator) {
  std::vector<std::size_t> numbers;
  const char *at = text.data(), *end = at + text.size();
  while (true) {
    std::size_t number = 0;
    const auto [stop, status] = std::from_chars(at, end, number);
    if (status != std::errc{}) return {};
    numbers.push_back(number);
    if (stop == end) return numbers;
    if (*stop != separator) return {};
    at = stop + 1;
  }
}

void require_few_rows(std::string_view option, const std::string& text, std::size_t rows) {
  if (rows > kMostRows)
    throw usage_error("{} {} makes {} rows; {} are the most, so choose a larger step", option, text, rows,
                      kMostRows);
}

Sweep range_from(std::string_view option, const std::string& text, std::size_t first, std::size_t last,
                 std::size_t step) {
  require_few_rows(option, text, (last - first) / step + 1);
  Sweep sweep{.values = {}, .step = step};
  for (std::size_t value = first; value <= last; value += step) sweep.values.push_back(value);
  return sweep;
}

std::string bar(double value, double longest) {
  const double share = longest > 0 ? value / longest : 0;
  return std::string(static_cast<std::size_t>(std::lround(share * kBarLength)), '#');
}

double least(const std::vector<Point>& points, double Point::*member) {
  double found = most(points, member);
  for (const Point& point : points) found = std::min(found, point.*member);
  return found;
}

const char* mark(const Point& point) { return point.is_predicted ? "~" : ""; }

// The shortest distance after which the sectors a request repeat; 0 where the sweep does not show it twice.
std::size_t period_of(const std::vector<Point>& points) {
  const auto tenths = [](const Point& point) { return std::lround(point.sectors * 10); };
  for (std::size_t distance = 1; 2 * distance <= points.size(); ++distance) {
    bool repeats = true;
    for (std::size_t i = 0; i + distance < points.size(); ++i)
      repeats &= tenths(points[i]) == tenths(points[i + distance]);
    if (repeats) return points[distance].value - points[0].value;
  }
  return 0;
}

}  // namespace

std::size_t Sweep::last() const { return *std::max_element(values.begin(), values.end()); }

Sweep parse_sweep(std::string_view option, const std::string& text) {
  const std::vector<std::size_t> list = numbers_in(text, ','), range = numbers_in(text, ':');
  require_few_rows(option, text, list.size());
  if (!list.empty()) return {.values = list};
  const bool is_range = range.size() == 2 || range.size() == 3;
  if (!is_range || range[0] > range[1] || (range.size() == 3 && range[2] == 0))
    throw usage_error(
        "{} is {}; give first, last and a step, as in 0:128 or 0:128:8, or a list, as in 0,11,128", option,
        text);
  return range_from(option, text, range[0], range[1], range.size() == 3 ? range[2] : 1);
}

double most(const std::vector<Point>& points, double Point::*member) {
  double found = 0;
  for (const Point& point : points) found = std::max(found, point.*member);
  return found;
}

std::vector<std::string> bars_of_sectors(const std::vector<Point>& points) {
  std::vector<std::string> lines;
  const double longest = most(points, &Point::sectors);
  for (const Point& point : points)
    lines.push_back(fmt::format("{:>8}  {:<{}}  {:.2f} sectors, {:6.2f} % of their bytes used", point.value,
                                bar(point.sectors, longest), kBarLength, point.sectors, point.percent));
  return lines;
}

std::vector<std::size_t> costly(const std::vector<Point>& points) {
  std::vector<std::size_t> lines;
  const double fewest = least(points, &Point::sectors);
  for (std::size_t i = 0; i < points.size(); ++i)
    if (points[i].sectors > fewest + 0.01) lines.push_back(i);
  return lines;
}

std::vector<std::string> bars_of_rates(const std::vector<Point>& points) {
  std::vector<std::string> lines;
  const double longest = most(points, &Point::gb_s);
  for (const Point& point : points)
    lines.push_back(fmt::format("{:>8}  {:<{}}  {}{:.4g} GB/s", point.value, bar(point.gb_s, longest),
                                kBarLength, mark(point), point.gb_s));
  return lines;
}

std::string sentence_on_period(const std::vector<Point>& points, const Sweep& sweep,
                               std::size_t element_bytes) {
  if (sweep.step == 0) return "A list of offsets shows no period; sweep over a range, as in 0:32.";
  const std::size_t period = period_of(points), bytes = period * element_bytes;
  if (period == 0) return "This sweep is too short, or too near the end of the arrays, to show a period.";
  if (period == sweep.step && bytes % kSectorBytes == 0)
    return fmt::format(
        "All offsets of this sweep cost the same: they are {} bytes apart, whole sectors. Sweep in steps of "
        "1 to see a period.",
        bytes);
  if (period == sweep.step)
    return "All offsets of this sweep cost the same. Sweep over more of them to see a period.";
  return fmt::format("The sectors a request repeat every {} elements: {} x {} bytes = {} bytes{}.", period,
                     period, element_bytes, bytes, bytes == kSectorBytes ? ", one sector" : "");
}

std::string sentence_on_times(const std::vector<Point>& points) {
  return fmt::format(
      "The slowest offset moves {0}{1:.4g} GB/s, the fastest {0}{2:.4g}. A warp's extra sector is the one "
      "that its neighbour needs too: it comes from a cache, and memory delivers it once.",
      mark(points.front()), least(points, &Point::gb_s), most(points, &Point::gb_s));
}

}  // namespace cudalab::lab::read_offset
