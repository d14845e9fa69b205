// Counters under Nsight Compute's names, in the format in which it prints them (`ncu --metrics`).
#include "report/text/metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>

#include "core/measurement.h"

namespace cudalab::report {
namespace {

using lab::Row;

struct Metric {
  std::string name, unit, meaning;
  std::function<std::optional<double>(const Row&)> value;
  bool is_predicted = false;
  bool is_count = true;  // an integer
};

std::optional<double> counted(const Row& row, Counter counter) {
  return row.counters ? row.counters->get(counter) : std::nullopt;
}

std::optional<double> ratio(const Row& row, Counter part, Counter whole) {
  const auto a = counted(row, part), b = counted(row, whole);
  if (!a || !b || *b == 0) return std::nullopt;
  return *a / *b;
}

// Each counter, and metrics derived from several counters.
std::vector<Metric> metrics() {
  using enum Counter;
  std::vector<Metric> all;
  for (const CounterInfo& info : kCounters) {
    const bool is_count = info.unit != "%" && info.counter != kActiveLanes;
    all.push_back({std::string(info.key), std::string(info.unit), std::string(info.meaning),
                   [counter = info.counter](const Row& row) { return counted(row, counter); }, false,
                   is_count});
  }
  const auto add_ratio = [&](std::string name, std::string meaning, Counter part, Counter whole) {
    all.push_back({std::move(name), "sector/request", std::move(meaning),
                   [=](const Row& row) { return ratio(row, part, whole); }, false, false});
  };
  add_ratio("l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio",
            "sectors per request of global loads", kGlobalLoadSectors, kGlobalLoadRequests);
  add_ratio("l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_st.ratio",
            "sectors per request of global stores", kGlobalStoreSectors, kGlobalStoreRequests);
  all.push_back({"smsp__inst_executed.sum", "inst", "machine instructions of all warps, predicted from PTX",
                 [](const Row& row) -> std::optional<double> {
                   if (!row.prediction) return std::nullopt;
                   const auto issue = std::ranges::find(row.prediction->limits, "issue", &Limit::resource);
                   if (issue == row.prediction->limits.end()) return std::nullopt;
                   return std::round(issue->amount);
                 },
                 true, true});
  all.push_back({"gpu__time_duration.sum", "us", "time of the launch: measured on a GPU, else predicted",
                 [](const Row& row) -> std::optional<double> {
                   constexpr double kMicroseconds = 1e3;
                   if (row.time_ms) return row.time_ms->median * kMicroseconds;
                   return row.prediction ? std::optional(row.prediction->ms * kMicroseconds) : std::nullopt;
                 },
                 true, false});
  return all;
}

std::string with_commas(double count) {
  std::string digits = fmt::format("{:.0f}", count);
  for (std::size_t end = digits.size(); end > 3; end -= 3) digits.insert(end - 3, ",");
  return digits;
}

std::string value_cell(const Metric& metric, const Row& row) {
  const std::optional<double> value = metric.value(row);
  if (!value) return "n/a";
  const std::string text = metric.is_count ? with_commas(*value) : fmt::format("{:.2f}", *value);
  return (metric.is_predicted && !row.time_ms ? "~" : "") + text;
}

std::string dimensions(const Dim3& dim) { return fmt::format("({}, {}, {})", dim.x, dim.y, dim.z); }

constexpr std::string_view kName = "Metric Name", kUnit = "Metric Unit", kValue = "Metric Value";

std::string table_of(const Row& row, const std::vector<Metric>& chosen) {
  std::vector<std::string> values;
  std::size_t name_width = kName.size(), unit_width = kUnit.size(), value_width = kValue.size();
  for (const Metric& metric : chosen) {
    values.push_back(value_cell(metric, row));
    name_width = std::max(name_width, metric.name.size());
    unit_width = std::max(unit_width, metric.unit.size());
    value_width = std::max(value_width, values.back().size());
  }
  const auto line = [&](std::string_view name, std::string_view unit, std::string_view value) {
    return fmt::format("    {:<{}} {:>{}} {:>{}}\n", name, name_width, unit, unit_width, value, value_width);
  };
  const std::string rule =
      line(std::string(name_width, '-'), std::string(unit_width, '-'), std::string(value_width, '-'));
  std::string text = rule + line(kName, kUnit, kValue) + rule;
  for (std::size_t i = 0; i < chosen.size(); ++i) text += line(chosen[i].name, chosen[i].unit, values[i]);
  return text + rule;
}

}  // namespace

std::vector<std::string> metric_names() {
  std::vector<std::string> names;
  for (const Metric& metric : metrics()) names.push_back(metric.name);
  return names;
}

std::string metrics_text(const lab::Result& result, const std::vector<std::string>& names) {
  const std::vector<Metric> all = metrics();
  std::vector<Metric> chosen;
  for (const std::string& name : names)
    if (const auto found = std::ranges::find(all, name, &Metric::name); found != all.end())
      chosen.push_back(*found);
  std::string text;
  for (const Row& row : result.rows) {
    if (lab::is_cpu(row) || row.kernel.empty()) continue;
    text += fmt::format("  {}: {} {}x{}, Device 0, CC {}\n    Section: Command line profiler metrics\n",
                        row.name, row.kernel, dimensions(row.spec.grid), dimensions(row.spec.block),
                        result.compute_capability);
    text += table_of(row, chosen) + "\n";
  }
  return text;
}

std::string metrics_help() {
  const std::vector<Metric> all = metrics();
  std::size_t name_width = 0, unit_width = 0;
  for (const Metric& metric : all) {
    name_width = std::max(name_width, metric.name.size());
    unit_width = std::max(unit_width, metric.unit.size());
  }
  std::string text;
  for (const Metric& metric : all)
    text +=
        fmt::format("{:<{}}  {:<{}}  {}\n", metric.name, name_width, metric.unit, unit_width, metric.meaning);
  return text;
}

}  // namespace cudalab::report
