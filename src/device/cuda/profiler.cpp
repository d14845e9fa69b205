// Runs Nsight Compute (ncu) and parses its output.
#include "device/cuda/profiler.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <limits>
#include <optional>

#include "compile/toolkit.h"
#include "core/error.h"
#include "core/files.h"
#include "core/processes/child_pool.h"
#include "core/processes/interruption.h"
#include "core/text.h"
#include "messages/device.h"

namespace cudalab::device {
namespace {

// The prefix of our own counters, which Nsight Compute does not know.
constexpr std::string_view kOurs = "ptx_";

// The profiled program is our own, so it needs no limits beyond those of the user's run.
constexpr double kForever = 1e9;  // seconds
constexpr std::uint64_t kAnything = std::numeric_limits<std::uint64_t>::max();
constexpr ChildLimits kNoLimits{kForever, kForever, kAnything, kAnything, kAnything};
constexpr std::size_t kLargestLog = std::size_t{1} << 30;

std::string metrics() {
  std::vector<std::string_view> keys;
  for (const CounterInfo& row : kCounters)
    if (!row.key.starts_with(kOurs)) keys.push_back(row.key);
  return joined(keys, ",");
}

ChildEnd run(const std::vector<std::string>& words) {
  ChildPool pool(kNoLimits);
  pool.start(0, words, ".");
  return pool.wait().second;
}

// "==ERROR== ERR_NVGPUCTRPERM - The user does not have permission …"
std::optional<std::string> error_in(const std::string& text) {
  constexpr std::string_view kMark = "==ERROR== ";
  const std::size_t begin = text.find(kMark);
  if (begin == std::string::npos) return std::nullopt;
  return text.substr(begin + kMark.size(), text.find('\n', begin) - begin - kMark.size());
}

[[noreturn]] void throw_refused(cudalab::Argument error, bool is_forbidden) {
  throw unavailable_error(msg::profiler_failed(
      std::move(error), is_forbidden ? msg::advice_allow_counters() : msg::advice_run_without_profile()));
}

// Throws if the output contains an error of ncu.
void refuse_error_in(const std::string& text) {
  if (const auto error = error_in(text))
    throw_refused(*error, error->find("ERR_NVGPUCTRPERM") != std::string::npos);
}

// Splits a line of CSV. Cells may be quoted.
std::vector<std::string> cells_of(std::string_view line) {
  std::vector<std::string> cells(1);
  bool quoted = false;
  for (const char c : line) {
    if (c == '"')
      quoted = !quoted;
    else if (c == ',' && !quoted)
      cells.emplace_back();
    else if (c != '\r')
      cells.back() += c;
  }
  return cells;
}

// "1,048,576" and "12.50"
std::optional<double> number_in(std::string cell) {
  std::erase(cell, ',');
  double value = 0;
  const auto [end, failed] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  if (failed != std::errc{} || end != cell.data() + cell.size()) return std::nullopt;
  return value;
}

std::vector<std::vector<std::string>> rows_from_names_on(std::string_view text) {
  std::vector<std::vector<std::string>> rows;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::vector<std::string> cells = cells_of(text.substr(0, end));
    if (!rows.empty() || cells.front() == "ID") rows.push_back(std::move(cells));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return rows;
}

// The cell in the column `name`; empty if there is none.
std::string cell_below(std::string_view name, const std::vector<std::string>& names,
                       const std::vector<std::string>& cells) {
  const auto column = std::find(names.begin(), names.end(), name) - names.begin();
  if (column >= static_cast<std::ptrdiff_t>(std::min(names.size(), cells.size()))) return "";
  return cells[static_cast<std::size_t>(column)];
}

// "(256, 1, 1)"
Dim3 shape_in(const std::string& cell) {
  Dim3 shape{0, 0, 0};
  std::sscanf(cell.c_str(), "(%u, %u, %u)", &shape.x, &shape.y, &shape.z);
  return shape;
}

ProfiledKernel kernel_of(const std::vector<std::string>& names, const std::vector<std::string>& cells) {
  ProfiledKernel kernel{cell_below("Kernel Name", names, cells),
                        shape_in(cell_below("Grid Size", names, cells)),
                        shape_in(cell_below("Block Size", names, cells)),
                        {}};
  for (const CounterInfo& row : kCounters)
    if (const auto value = number_in(cell_below(row.key, names, cells)))
      kernel.counters.set(row.counter, *value);
  return kernel;
}

std::vector<ProfiledKernel> kernels_from_csv(std::string_view text) {
  const auto rows = rows_from_names_on(text);
  std::vector<ProfiledKernel> kernels;
  for (std::size_t row = 2; row < rows.size(); ++row) kernels.push_back(kernel_of(rows[0], rows[row]));
  return kernels;
}

}  // namespace

// Leaves the GPU's clocks unchanged: counters do not depend on them, and other users may share the GPU.
std::vector<std::string> under_ncu(const std::vector<std::string>& command, const std::string& log) {
  const auto ncu = compile::find_program("ncu");
  if (!ncu) throw unavailable_error(msg::profiler_missing());
  std::vector<std::string> words{ncu->string(),
                                 "--csv",
                                 "--page",
                                 "raw",
                                 "--print-units",
                                 "base",
                                 "--log-file",
                                 log,
                                 "--force-overwrite",
                                 "--metrics",
                                 metrics(),
                                 "--target-processes",
                                 "all",
                                 "--clock-control",
                                 "none"};
  words.insert(words.end(), command.begin(), command.end());
  return words;
}

std::vector<Counters> counters_from_csv(std::string_view text) {
  std::vector<Counters> counters;
  for (ProfiledKernel& kernel : kernels_from_csv(text)) counters.push_back(std::move(kernel.counters));
  if (counters.empty()) throw unavailable_error(msg::profiler_measured_nothing());
  return counters;
}

std::vector<ProfiledKernel> kernels_from_log(const std::string& log) {
  const std::string measured = read_file(log, kLargestLog).value_or("");
  refuse_error_in(measured);
  return kernels_from_csv(measured);
}

std::vector<Counters> profile(const std::vector<std::string>& command) {
  const TemporaryFolder folder;
  const std::string log = folder / "counters.csv";
  const ChildEnd end = run(under_ncu(command, log));
  const std::string measured = read_file(log, kLargestLog).value_or("");
  refuse_error_in(measured);
  refuse_error_in(end.output);
  if (end.exit_code != 0)
    throw_refused(
        end.exit_code < 0 ? msg::profiler_stopped(end.stopped) : msg::profiler_ended_with(end.exit_code),
        false);
  return counters_from_csv(measured);
}

}  // namespace cudalab::device
