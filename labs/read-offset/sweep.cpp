// The read-offset lab's sweep: the access patterns of its kernels, the offsets and strides to try, and the
// measurements.
#include "sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <numeric>

#include "lab/lab.h"
#include "messages/lab_read_offset.h"

namespace cudalab::lab::read_offset {
namespace {

constexpr std::size_t kWarp = 32, kSector = 32, kLine = 128;
constexpr std::size_t kMostThreads = 1 << 20;  // threads whose accesses are examined, at most

struct Tally {
  double requests = 0, elements = 0, sectors = 0, lines = 0;
};

// The number of aligned units of memory, of `per_piece` elements each, that contain the accessed elements.
std::size_t pieces(std::array<std::size_t, kWarp> elements, std::size_t count, std::size_t per_piece) {
  const auto end = elements.begin() + static_cast<std::ptrdiff_t>(count);
  std::transform(elements.begin(), end, elements.begin(), [&](std::size_t at) { return at / per_piece; });
  std::sort(elements.begin(), end);
  return static_cast<std::size_t>(std::unique(elements.begin(), end) - elements.begin());
}

void add_request(const Pattern& pattern, std::size_t first, std::size_t last, std::size_t step,
                 std::size_t element_bytes, Tally& tally) {
  std::array<std::size_t, kWarp> elements{};
  std::size_t count = 0;
  for (std::size_t thread = first; thread < last; ++thread)
    if (const auto element = pattern.element(thread, step)) elements[count++] = *element;
  if (count == 0) return;
  ++tally.requests;
  tally.elements += static_cast<double>(count);
  tally.sectors += static_cast<double>(pieces(elements, count, kSector / element_bytes));
  tally.lines += static_cast<double>(pieces(elements, count, kLine / element_bytes));
}

}  // namespace

Touched touched(const Pattern& pattern, std::size_t element_bytes) {
  Tally tally;
  const std::size_t threads = std::min(pattern.threads, kMostThreads);
  for (std::size_t block = 0; block < threads; block += pattern.block) {
    const std::size_t end = std::min(block + pattern.block, threads);
    for (std::size_t first = block; first < end; first += kWarp)
      for (std::size_t step = 0; step < pattern.steps; ++step)
        add_request(pattern, first, std::min(first + kWarp, end), step, element_bytes, tally);
  }
  if (tally.requests == 0) return {};
  const double used = 100 * tally.elements * static_cast<double>(element_bytes);
  return {tally.sectors / tally.requests, tally.lines / tally.requests, used / (tally.sectors * kSector),
          used / (tally.lines * kLine)};
}

std::vector<std::string> lines_of_touched(const std::vector<Pattern>& patterns, std::size_t element_bytes) {
  std::vector<std::string> lines{
      fmt::format("{:<20}  {:>8} {:>7}   {:>8} {:>7}", "", "sectors,", "% used", "lines,", "% used")};
  for (const Pattern& pattern : patterns) {
    const Touched found = touched(pattern, element_bytes);
    lines.push_back(fmt::format("{:<20}  {:>8.2f} {:>7.1f}   {:>8.2f} {:>7.1f}", pattern.name, found.sectors,
                                found.of_sectors_used, found.lines, found.of_lines_used));
  }
  return lines;
}

std::optional<std::size_t> strided(std::size_t i, std::size_t n, std::size_t stride, std::size_t offset) {
  const std::size_t round = n / stride;
  if (i >= round * stride) return std::nullopt;
  const std::size_t element = i % round * stride + i / round + offset;
  return element < n ? std::optional(element) : std::nullopt;
}

std::vector<std::uint32_t> random_order(std::size_t count, std::uint64_t stream) {
  std::vector<std::uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0u);
  for (std::size_t left = count; left > 1; --left)
    std::swap(order[left - 1], order[random_bits(stream, left) % left]);
  return order;
}

namespace {

constexpr std::size_t kSectorBytes = 32;
constexpr std::size_t kBarLength = 40;   // characters of the longest bar
constexpr std::size_t kMostRows = 4096;  // offsets or strides in a sweep, at most

// Parses numbers between `separator`s; empty if there is anything else.
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
  if (rows > kMostRows) throw usage_error(msg::sweep_too_many_rows(option, text, rows, kMostRows));
}

Sweep range_from(std::string_view option, const std::string& text, std::size_t first, std::size_t last,
                 std::size_t step) {
  require_few_rows(option, text, (last - first) / step + 1);
  Sweep sweep{.values = {}, .step = step};
  for (std::size_t value = first; value <= last; value += step) sweep.values.push_back(value);
  return sweep;
}

constexpr double kSimilar = 0.9;  // bars of which the shortest has this share of the longest look alike

std::string bar(double value, double start, double longest) {
  const double share = longest > start ? (value - start) / (longest - start) : 0;
  return std::string(static_cast<std::size_t>(std::lround(share * kBarLength)), '#');
}

// The largest of 1, 2, 5, 10, 20, … that is not above `value`.
double round_step(double value) {
  const double power = std::pow(10.0, std::floor(std::log10(value)));
  for (const double factor : {5.0, 2.0})
    if (factor * power <= value) return factor * power;
  return power;
}

double least(const std::vector<Point>& points, double Point::*member) {
  double found = most(points, member);
  for (const Point& point : points) found = std::min(found, point.*member);
  return found;
}

const char* mark(const Point& point) { return point.is_predicted ? "~" : ""; }

// The shortest distance after which the sectors per request repeat; 0 if the sweep does not show two full
// periods.
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
    throw usage_error(msg::sweep_malformed(option, text));
  return range_from(option, text, range[0], range[1], range.size() == 3 ? range[2] : 1);
}

double most(const std::vector<Point>& points, double Point::*member) {
  double found = 0;
  for (const Point& point : points) found = std::max(found, point.*member);
  return found;
}

double start_of_bars(const std::vector<Point>& points, double Point::*member) {
  const double low = least(points, member), high = most(points, member);
  if (low < kSimilar * high || low == high) return 0;
  const double step = round_step(high - low);
  return std::max(0.0, (std::ceil(low / step) - 1) * step);
}

std::vector<std::string> bars_of_sectors(const std::vector<Point>& points) {
  std::vector<std::string> lines;
  const double longest = most(points, &Point::sectors), start = start_of_bars(points, &Point::sectors);
  for (const Point& point : points)
    lines.push_back(fmt::format("{:>8}  {:<{}}  {:.2f} sectors, {:6.2f} % of their bytes used", point.value,
                                bar(point.sectors, start, longest), kBarLength, point.sectors,
                                point.percent));
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
  const double longest = most(points, &Point::gb_s), start = start_of_bars(points, &Point::gb_s);
  for (const Point& point : points)
    lines.push_back(fmt::format("{:>8}  {:<{}}  {}{:.4g} GB/s", point.value, bar(point.gb_s, start, longest),
                                kBarLength, mark(point), point.gb_s));
  return lines;
}

Message sentence_on_period(const std::vector<Point>& points, const Sweep& sweep, std::size_t element_bytes) {
  if (sweep.step == 0) return msg::period_of_list();
  const std::size_t period = period_of(points), bytes = period * element_bytes;
  if (period == 0) return msg::period_not_seen();
  if (period == sweep.step && bytes % kSectorBytes == 0) return msg::period_whole_sectors(bytes);
  if (period == sweep.step) return msg::period_of_one_step();
  return bytes == kSectorBytes ? msg::period_of_one_sector(period, element_bytes, bytes)
                               : msg::period_of_sectors(period, element_bytes, bytes);
}

Message sentence_on_times(const std::vector<Point>& points) {
  const auto rate = [&](double gb_s) { return fmt::format("{}{:.4g}", mark(points.front()), gb_s); };
  return msg::note_offsets_by_time(rate(least(points, &Point::gb_s)), rate(most(points, &Point::gb_s)));
}

}  // namespace cudalab::lab::read_offset
