// Runs a lab at several sizes and draws the times against the sizes.
#include "lab/size_sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "core/error.h"
#include "core/text.h"
#include "lab/result.h"
#include "messages/lab.h"

namespace cudalab::lab {
namespace {

constexpr std::size_t kMostSizes = 32, kUsualSizes = 7;

// ---- which sizes ---------------------------------------------------------------------------------------

bool has_option(const Lab& lab, std::string_view name) {
  return std::ranges::find(lab.options, name, &OptionSpec::name) != lab.options.end();
}

std::int64_t option_of(const Result& result, std::string_view name) {
  for (const auto& [option, value] : result.options)
    if (option == name) return std::get<std::int64_t>(value);
  return 0;
}

// Empty if the options of the size differ, as for a matrix that is not square.
std::optional<std::int64_t> own_size(const Lab& lab, const Result& result) {
  const std::vector<std::string> options = size_options(lab);
  const std::int64_t size = option_of(result, options.front());
  const bool is_one =
      std::ranges::all_of(options, [&](const std::string& each) { return option_of(result, each) == size; });
  return is_one ? std::optional(size) : std::nullopt;
}

std::int64_t size_in(std::string_view text) {
  const auto size = natural(text);
  if (!size || *size == 0 || *size > INT64_MAX) throw usage_error(msg::sizes_malformed(text));
  return static_cast<std::int64_t>(*size);
}

std::vector<std::int64_t> doubled(std::int64_t first, std::int64_t last) {
  std::vector<std::int64_t> sizes;
  for (std::int64_t size = first; size <= last; size *= 2) {
    sizes.push_back(size);
    if (size > INT64_MAX / 2) break;
  }
  return sizes;
}

std::vector<std::int64_t> sizes_in(const std::string& text) {
  const std::size_t colon = text.find(':');
  if (colon != std::string::npos)
    return doubled(size_in(text.substr(0, colon)), size_in(text.substr(colon + 1)));
  std::vector<std::int64_t> sizes;
  for (const std::string_view each : split(text, ',')) sizes.push_back(size_in(each));
  return sizes;
}

// The largest of the size options' values.
std::int64_t usual_size(const Lab& lab, const Result& result) {
  std::int64_t largest = 1;
  for (const std::string& option : size_options(lab)) largest = std::max(largest, option_of(result, option));
  return largest;
}

bool takes_size(const Lab& lab, std::int64_t size) {
  return std::ranges::all_of(lab.options, [&](const OptionSpec& spec) {
    const std::vector<std::string> options = size_options(lab);
    return std::ranges::find(options, spec.name) == options.end() || size <= spec.max;
  });
}

RunRequest at_size(const Lab& lab, RunRequest request, std::int64_t size) {
  for (const std::string& option : size_options(lab)) {
    std::erase_if(request.options, [&](const auto& given) { return given.first == option; });
    request.options.emplace_back(option, size);
  }
  request.settings.launch.record = false;
  request.settings.onlooker = {};
  return request;
}

// ---- what is drawn -------------------------------------------------------------------------------------

bool is_drawn(const Row& row) {
  return (row.kind == RowKind::kKernel || row.kind == RowKind::kLibrary) && !row.in_figure;
}

std::optional<double> time_of(const Row& row) {
  if (row.verdict == Verdict::kFail) return std::nullopt;
  if (row.time_ms) return row.time_ms->median;
  return row.prediction ? std::optional(row.prediction->ms) : std::nullopt;
}

double work_of(const Row& row) { return row.useful_flops > 0 ? row.useful_flops : row.useful_bytes; }

std::optional<double> instructions_of(const Row& row) {
  if (!row.counters) return std::nullopt;
  return row.counters->value_or_zero(Counter::kWarpInstructions);
}

struct Point {
  std::int64_t size;
  double ms, work;
  std::optional<double> instructions;
  // A stage whose work does not depend on the size is not drawn.
  bool does_as_much_as(const Point& other) const {
    return (work > 0 && work == other.work) || (instructions && instructions == other.instructions);
  }
};
struct StageTimes {
  std::string name;
  std::vector<Point> points;
};

class Times {
 public:
  void add(std::int64_t size, const Result& result) {
    for (const Row& row : result.rows) {
      if (!is_drawn(row)) continue;
      if (row.verdict == Verdict::kFail) wrong_[row.name].push_back(size);
      if (const auto ms = time_of(row))
        of(row.name).points.push_back({size, *ms, work_of(row), instructions_of(row)});
    }
  }
  std::vector<StageTimes> drawn() const {
    std::vector<StageTimes> stages = stages_;
    std::erase_if(stages, [](const StageTimes& stage) {
      return stage.points.size() < 2 || stage.points.front().does_as_much_as(stage.points.back());
    });
    return stages;
  }
  const std::map<std::string, std::vector<std::int64_t>>& wrong() const { return wrong_; }

 private:
  StageTimes& of(const std::string& name) {
    const auto found = std::ranges::find(stages_, name, &StageTimes::name);
    return found != stages_.end() ? *found : stages_.emplace_back(StageTimes{name, {}});
  }
  std::vector<StageTimes> stages_;
  std::map<std::string, std::vector<std::int64_t>> wrong_;
};

// Ascending, up to the largest size that the virtual GPU finishes quickly. Work is assumed to grow with the
// product of the size options, so doubling the size multiplies it by 2^(number of options).
std::vector<std::int64_t> usual_sizes(const Lab& lab, const Result& result) {
  constexpr double kSoon = 2e7;  // warp instructions
  constexpr int kMostAbove = 4;
  double instructions = 0;
  for (const Row& row : result.rows) instructions += instructions_of(row).value_or(0);
  const double growth = std::exp2(size_options(lab).size());
  std::int64_t size = usual_size(lab, result);
  for (int above = 0; above < kMostAbove && instructions > 0 && instructions * growth <= kSoon; ++above) {
    if (!takes_size(lab, 2 * size)) break;
    size *= 2;
    instructions *= growth;
  }
  std::vector<std::int64_t> sizes;
  for (; size >= 1 && sizes.size() < kUsualSizes; size /= 2) sizes.insert(sizes.begin(), size);
  return sizes;
}

struct Unit {
  const char* name;
  double in_ms;
};
Unit unit_for(const std::vector<StageTimes>& stages) {
  double longest = 0;
  for (const StageTimes& stage : stages)
    for (const Point& point : stage.points) longest = std::max(longest, point.ms);
  if (longest < 1) return {"us", 1e-3};
  return longest < 1000 ? Unit{"ms", 1} : Unit{"s", 1000};
}

// The whole number k if the work of every stage grows as size^k; else empty.
std::optional<int> order_of_work(const std::vector<StageTimes>& stages) {
  constexpr double kNear = 0.05;
  std::optional<int> order;
  for (const StageTimes& stage : stages) {
    const Point &first = stage.points.front(), &last = stage.points.back();
    if (!(first.work > 0 && last.work > 0)) return std::nullopt;
    const double exact = std::log(last.work / first.work) /
                         std::log(static_cast<double>(last.size) / static_cast<double>(first.size));
    const int here = static_cast<int>(std::lround(exact));
    if (here < 1 || std::fabs(exact - here) > kNear || (order && *order != here)) return std::nullopt;
    order = here;
  }
  return order;
}

std::shared_ptr<const Chart> chart_of(const std::vector<StageTimes>& stages, const std::string& size,
                                      const std::string& symbol, bool is_predicted) {
  const Unit unit = unit_for(stages);
  auto chart = std::make_shared<Chart>();
  chart->x = {size, "", true};
  chart->y = {is_predicted ? "predicted time" : "time", unit.name, true};
  for (const StageTimes& stage : stages) {
    ChartCurve& curve = chart->curves.emplace_back(ChartCurve{stage.name, {}});
    for (const Point& point : stage.points)
      curve.points.emplace_back(static_cast<double>(point.size), point.ms / unit.in_ms);
  }
  if (const auto order = order_of_work(stages))
    chart->slopes.push_back(
        {*order == 1 ? symbol : fmt::format("{}^{}", symbol, *order), static_cast<double>(*order)});
  return chart;
}

// ---- the same as a table -------------------------------------------------------------------------------

std::string number_of(double value) { return fmt::format("{:.3g}", value); }

std::vector<std::string> table_of(const Chart& chart, const std::vector<std::int64_t>& sizes) {
  std::size_t name = chart.x.name.size(), column = 0;
  for (const ChartCurve& curve : chart.curves) name = std::max(name, curve.name.size());
  for (const std::int64_t size : sizes) column = std::max(column, fmt::format("{}", size).size());
  column = std::max<std::size_t>(column, 8) + 1;  // 8: "1.23e+03"
  std::vector<std::string> lines{fmt::format("{:<{}}", chart.x.name, name)};
  for (const std::int64_t size : sizes) lines.front() += fmt::format("{:>{}}", size, column);
  for (const ChartCurve& curve : chart.curves) {
    std::string& line = lines.emplace_back(fmt::format("{:<{}}", curve.name, name));
    for (const std::int64_t size : sizes) {
      const auto found =
          std::ranges::find(curve.points, static_cast<double>(size), &std::pair<double, double>::first);
      line += fmt::format("{:>{}}", found == curve.points.end() ? "-" : number_of(found->second), column);
    }
  }
  return lines;
}

void note_what_is_wrong(const Times& times, const std::string& size, Result& result) {
  for (const auto& [stage, sizes] : times.wrong())
    result.notes.push_back(msg::note_wrong_at_sizes(stage, size, Argument::List(sizes.begin(), sizes.end())));
}

}  // namespace

std::vector<std::string> size_options(const Lab& lab) {
  if (!lab.sizes.empty()) return lab.sizes;
  return has_option(lab, "n") ? std::vector<std::string>{"n"} : std::vector<std::string>{};
}

std::vector<std::int64_t> sizes_from(const Lab& lab, const std::string& text) {
  if (size_options(lab).empty()) throw usage_error(msg::lab_has_no_size(lab.name));
  if (text.empty()) return {};
  std::vector<std::int64_t> sizes = sizes_in(text);
  std::ranges::sort(sizes);
  const auto again = std::ranges::unique(sizes);
  sizes.erase(again.begin(), again.end());
  if (sizes.size() < 2 || sizes.size() > kMostSizes)
    throw usage_error(msg::sizes_too_many(text, sizes.size(), kMostSizes));
  Options tried(lab.options, false);
  for (const std::int64_t size : sizes)
    for (const std::string& option : size_options(lab)) tried.set(option, size);
  return sizes;
}

void add_times_by_size(const Lab& lab, const RunRequest& request, std::vector<std::int64_t> sizes,
                       const RunAtSize& run, Result& result) {
  if (sizes.empty()) sizes = usual_sizes(lab, result);
  const std::vector<std::string> options = size_options(lab);
  const std::string size = joined(options, " = ");
  const std::optional<std::int64_t> own = own_size(lab, result);
  Times times;
  for (const std::int64_t at : sizes) times.add(at, at == own ? result : run(at_size(lab, request, at)));
  note_what_is_wrong(times, size, result);
  const std::vector<StageTimes> drawn = times.drawn();
  if (drawn.empty()) return;
  const bool is_predicted = result.evidence == "virtual";
  const auto chart = chart_of(drawn, size, options.front(), is_predicted);
  result.figures.push_back({.title = is_predicted ? msg::title_predicted_time_by_size(size, chart->y.unit)
                                                  : msg::title_time_by_size(size, chart->y.unit),
                            .lines = table_of(*chart, sizes),
                            .marked = {},
                            .chart = chart,
                            .is_of_sizes = true});
}

}  // namespace cudalab::lab
