// Chooses the rows of a result's table and fills its columns.
#include "report/text/columns.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <optional>
#include <utility>

#include "core/measurement.h"
#include "core/text.h"
#include "messages/report.h"
#include "report/text/limits.h"
#include "report/text/values.h"
#include "vgpu/warp_shape.h"

namespace cudalab::report {
namespace {

using lab::Result;
using lab::Row;
using lab::RowKind;
using lab::Verdict;

// ---- rows --------------------------------------------------------------------------------------------

bool is_same_work(const Row& a, const Row& b) {
  const auto compared = [](const Row& row) { return row.check ? row.check->compared : 0; };
  return a.useful_bytes == b.useful_bytes && a.useful_flops == b.useful_flops && compared(a) == compared(b);
}

bool is_faster(const Row& a, const Row& b) {
  return measured_ms(a).value_or(INFINITY) < measured_ms(b).value_or(INFINITY);
}

bool is_good_cpu_row(const Row& row) { return lab::is_cpu(row) && row.verdict == Verdict::kPass; }

// "cpu-blocked-1-thread" becomes "cpu-blocked".
std::string without_threads(std::string name) {
  for (const std::string_view ending : {"-1-thread", "-all-threads"})
    if (name.ends_with(ending)) return name.substr(0, name.size() - ending.size());
  return name;
}

// ---- cells: an empty text if the row has no such number ----------------------------------------------

std::string about(const std::string& predicted) { return predicted.empty() ? "" : "~" + predicted; }

std::string time_cell(const Row& row) {
  if (row.time_ms) return duration(*measured_ms(row));
  return row.prediction ? predicted(row.prediction->ms) : "";
}

std::string recorded_cell(const Row& row) { return row.recorded_ms ? duration(*row.recorded_ms) : ""; }

std::string with_copies_cell(const Row& row) {
  return row.time_ms && row.transfer_ms ? duration(row.time_ms->median + row.transfer_ms->median) : "";
}

std::string simulation_cell(const Row& row) { return row.simulation_ms ? duration(*row.simulation_ms) : ""; }

// The measured rate, else the predicted one.
auto rate_of(std::optional<double> Row::*measured, std::optional<double> lab::Rates::*predicted) {
  return [=](const Row& row) -> std::string {
    if (row.*measured) return three_digits(*(row.*measured));
    return row.predicted.*predicted ? about(three_digits(*(row.predicted.*predicted))) : "";
  };
}

std::optional<double> share_of_ceiling(const Row& row) {
  return row.percent_of_ceiling ? row.percent_of_ceiling : row.predicted.percent_of_ceiling;
}

// The share without its unit, which the heading shows.
std::string share_cell(const Row& row) {
  const auto share = share_of_ceiling(row);
  if (!share) return "";
  return *share > 0 && *share < 1 ? "<1" : significant(std::round(*share), 4);
}

// The ratio of a measured GPU time and a measured CPU time. Predicted times have no such ratio.
auto speedup_of(std::optional<double> Row::*measured) {
  return [=](const Row& row) -> std::string {
    return row.*measured ? three_digits(*(row.*measured)) + "x" : "";
  };
}

bool has_occupancy(const Row& row) { return row.prediction && row.prediction->occupancy.most_warps > 0; }

std::string occupancy_cell(const Row& row, const Wording& wording) {
  if (!has_occupancy(row)) return "";
  const Occupancy& occupancy = row.prediction->occupancy;
  return wording.say(msg::part_of_whole(occupancy.warps, occupancy.most_warps));
}

Message worded(OccupancyLimit limit) {
  switch (limit) {
    case OccupancyLimit::kRegisters: return msg::limit_registers();
    case OccupancyLimit::kShared: return msg::limit_shared();
    case OccupancyLimit::kThreads: return msg::limit_threads();
    case OccupancyLimit::kBlocks: return msg::limit_blocks();
    case OccupancyLimit::kGrid: break;
  }
  return msg::limit_grid();
}

std::string occupancy_limit_cell(const Row& row, const Wording& wording) {
  if (!has_occupancy(row)) return "";
  const Occupancy& occupancy = row.prediction->occupancy;
  const Message limit = worded(occupancy.limited_by);
  return wording.say(occupancy.registers ? limit : msg::limit_registers_unknown(limit));
}

auto ratio_of(Counter part, Counter whole) {
  return [part, whole](const Row& row) -> std::string {
    if (!row.counters || row.counters->value_or_zero(whole) == 0 || !row.counters->get(part)) return "";
    return significant(*row.counters->get(part) / row.counters->value_or_zero(whole));
  };
}

// The bytes of all global memory sectors in requests. Textures are not counted in sectors, so the number is
// unknown for a kernel that reads them.
std::optional<double> requested_bytes(const Row& row) {
  using enum Counter;
  if (!row.counters || row.counters->value_or_zero(kTextureRequests) > 0) return std::nullopt;
  double sectors = 0;
  for (const Counter counter : {kGlobalLoadSectors, kGlobalStoreSectors, kGlobalAtomicSectors,
                                kGlobalReductionSectors, kAsyncCopySectors})
    sectors += row.counters->value_or_zero(counter);
  return sectors * vgpu::kSectorBytes;
}

std::string requested_and_needed_cell(const Row& row) {
  const auto bytes = requested_bytes(row);
  return bytes && row.useful_bytes > 0 ? significant(*bytes / row.useful_bytes) : "";
}

std::string requested_cell(const Row& row) {
  const auto bytes = requested_bytes(row);
  return bytes ? memory(*bytes) : "";
}

std::string dram_cell(const Row& row) {
  if (!row.prediction) return "";
  const auto dram = std::ranges::find(row.prediction->limits, "dram", &Limit::resource);
  return dram == row.prediction->limits.end() ? "" : memory(dram->amount);
}

// ---- columns -----------------------------------------------------------------------------------------

constexpr int kOptional = 50;  // columns of lower importance are only for wide terminals

constexpr std::size_t kLongestName = 32;  // columns; the name of a template instance may be very long

struct ColumnRow {
  std::string heading;  // with line breaks
  std::string group;
  bool left;
  int importance;
  std::function<std::string(const Row&)> cell;
  std::optional<InsightCell> marked = {};
};

Column column_of(const ColumnRow& wanted, const std::vector<Row>& rows,
                 const std::vector<Insight>& insights = {}) {
  Column column{
      heading_from(wanted.heading), heading_from(wanted.group), wanted.left, wanted.importance, {}, {}};
  if (wanted.group.empty()) column.group.clear();
  column.is_optional = wanted.importance < kOptional;
  for (const Row& row : rows) {
    const bool is_marked = wanted.marked && std::ranges::any_of(insights, [&](const Insight& insight) {
                             return insight.row == row.name && insight.cell == wanted.marked;
                           });
    const std::string cell = wanted.cell(row);
    column.cells.push_back(is_marked && !cell.empty() ? "*" + cell : cell);
  }
  return column;
}

// The reference of the other rows: the row of kind kCeiling or kLibrary with the largest share.
std::string name_of_ceiling(const std::vector<Row>& rows) {
  const Row* found = nullptr;
  for (const Row& row : rows) {
    const bool is_ceiling = row.kind == RowKind::kCeiling || row.kind == RowKind::kLibrary;
    if (is_ceiling && share_of_ceiling(row) && (!found || *share_of_ceiling(row) > *share_of_ceiling(*found)))
      found = &row;
  }
  return found ? found->name : "";
}

std::string extra_cell(const Row& row, const std::string& name) {
  for (const auto& [key, value] : row.extra)
    if (key == name) return significant(value);
  return "";
}

ColumnRow extra_column(const lab::ExtraColumn& extra, const Wording& wording) {
  return {wording.say(extra.heading()), "", false, 50,
          [key = extra.key](const Row& row) { return extra_cell(row, key); }};
}

}  // namespace

std::vector<Row> all_rows(const Result& result) {
  std::vector<Row> rows = result.rows;
  std::erase_if(rows, [](const Row& row) { return row.in_figure && row.verdict == Verdict::kPass; });
  std::ranges::stable_partition(rows, lab::is_cpu);
  return rows;
}

std::vector<Row> shown_rows(const Result& result) {
  std::vector<Row> fastest;  // the fastest CPU version of each kind of work
  for (const Row& row : result.rows) {
    if (!is_good_cpu_row(row)) continue;
    const auto same =
        std::ranges::find_if(fastest, [&](const Row& other) { return is_same_work(row, other); });
    if (same == fastest.end())
      fastest.push_back(row);
    else if (is_faster(row, *same))
      *same = row;
  }
  for (Row& row : fastest) row.name = fastest.size() == 1 ? "cpu" : without_threads(row.name);
  std::vector<Row> rows = all_rows(result);
  std::erase_if(rows, is_good_cpu_row);
  rows.insert(rows.begin(), fastest.begin(), fastest.end());
  return rows;
}

std::vector<Column> columns_of_rows(const Result& result, const std::vector<Row>& rows,
                                    const std::vector<Insight>& insights, const Wording& wording) {
  using enum Counter;
  using lab::Rates;
  const std::string sectors = wording.say(msg::column_sectors_per_request()),
                    conflicts = wording.say(msg::column_conflicts_per_request()),
                    bytes = wording.say(msg::column_bytes()), load = wording.say(msg::access_load()),
                    store = wording.say(msg::access_store()), ceiling = name_of_ceiling(rows);
  const auto name = [](const Row& row) { return shortened(row.name, kLongestName, "..."); };
  std::vector<ColumnRow> wanted{
      // clang-format off
      // heading, group, left, importance, cell, marked
      {wording.say(msg::column_kernel()), "", true, 100, name},
      {wording.say(msg::column_time()), "", false, 90, time_cell, InsightCell::kTime},
      {wording.say(msg::column_recorded_on_h200()), "", false, 88, recorded_cell},
      {wording.say(msg::column_percent_of(ceiling)), "", false, 89, share_cell},
      {"GB/s", "", false, 40, rate_of(&Row::gb_s, &Rates::gb_s)},
      {"GFLOP/s", "", false, 45, rate_of(&Row::gflop_s, &Rates::gflop_s)},
      {load, sectors, false, 85, ratio_of(kGlobalLoadSectors, kGlobalLoadRequests),
       InsightCell::kLoadSectors},
      {store, sectors, false, 84, ratio_of(kGlobalStoreSectors, kGlobalStoreRequests),
       InsightCell::kStoreSectors},
      {load, conflicts, false, 83, ratio_of(kSharedLoadConflicts, kSharedLoadRequests),
       InsightCell::kLoadConflicts},
      {store, conflicts, false, 82, ratio_of(kSharedStoreConflicts, kSharedStoreRequests),
       InsightCell::kStoreConflicts},
      {wording.say(msg::column_requested_per_needed()), bytes, false, 35, requested_and_needed_cell},
      {wording.say(msg::column_with_copies()), "", false, 30, with_copies_cell},
      // clang-format on
  };
  for (const lab::ExtraColumn& extra : result.columns) wanted.push_back(extra_column(extra, wording));
  wanted.push_back({wording.say(msg::column_result()), "", true, 95,
                    [&](const Row& row) { return wording.say(worded_result(row)); }});
  std::vector<Column> columns;
  for (const ColumnRow& column : wanted) columns.push_back(column_of(column, rows, insights));
  for (const Row& row : rows) columns.back().inks.push_back(ink_of_verdict(row.verdict));
  return columns;
}

std::vector<Column> details_of_rows(const std::vector<Row>& rows, const Wording& wording) {
  const std::string occupancy = wording.say(msg::column_occupancy()),
                    bytes = wording.say(msg::column_bytes()),
                    faster = wording.say(msg::column_speedup_over());
  const std::vector<ColumnRow> wanted{
      // clang-format off
      {wording.say(msg::column_kernel()), "", true, 100,
       [](const Row& row) { return shortened(row.name, kLongestName, "..."); }},
      {wording.say(msg::column_warps()), occupancy, false, 58,
       [&](const Row& row) { return occupancy_cell(row, wording); }},
      {wording.say(msg::column_limited_by()), occupancy, true, 57,
       [&](const Row& row) { return occupancy_limit_cell(row, wording); }},
      {wording.say(msg::column_requested()), bytes, false, 65,
       [&](const Row& row) { return requested_cell(row); }},
      {"DRAM", bytes, false, 64, [&](const Row& row) { return dram_cell(row); }},
      {wording.say(msg::column_one_thread()), faster, false, 50, speedup_of(&Row::speedup_1_thread)},
      {wording.say(msg::column_all_threads()), faster, false, 51, speedup_of(&Row::speedup_all_threads)},
      {wording.say(msg::column_interpreter()), "", false, 60, simulation_cell},
      // clang-format on
  };
  std::vector<Column> columns;
  for (const ColumnRow& column : wanted) columns.push_back(column_of(column, rows));
  return columns;
}

Message worded_result(const Row& row) {
  if (row.verdict == Verdict::kNotAssessed)
    return row.is_experiment ? msg::verdict_experiment() : msg::verdict_not_assessed();
  const std::optional<lab::Check>& check = row.check;
  if (row.verdict == Verdict::kFail)
    return check && check->mismatches > 0 ? msg::result_wrong(check->mismatches) : msg::result_failed();
  if (!check) return msg::result_passed();
  if (check->allowed == 0) return msg::result_exact();
  if (!std::isfinite(check->max_error)) return Message::verbatim(significant(check->max_error));
  return msg::result_share_of_tolerance(percent(100 * check->max_error / check->allowed));
}

Ink ink_of_verdict(Verdict verdict) {
  if (verdict == Verdict::kPass) return Ink::kGood;
  return verdict == Verdict::kFail ? Ink::kBad : Ink::kUnsure;
}

}  // namespace cudalab::report
