// Knows the two ceilings of a card, and which of them is above a kernel.
#include "report/text/roofline.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <vector>

#include "report/text/grid.h"
#include "report/text/paragraph.h"
#include "report/text/units.h"

namespace cudalab::report {
namespace {

using lab::Row;

const Limit* limit_named(const Row& row, std::string_view resource) {
  if (!row.prediction) return nullptr;
  const auto found = std::ranges::find(row.prediction->limits, resource, &Limit::resource);
  return found == row.prediction->limits.end() ? nullptr : &*found;
}

double amount_of(const Row& row, std::string_view resource) {
  const Limit* limit = limit_named(row, resource);
  return limit ? limit->amount : 0;
}

Column column(std::vector<std::string> heading, bool left, const std::vector<Row>& rows,
              const std::function<std::string(const Row&)>& cell) {
  Column made{std::move(heading), {}, left, left ? 100 : 50, {}, {}};
  for (const Row& row : rows) made.cells.push_back(cell(row));
  return made;
}

double reached(const Row& row) { return row.useful_flops / (row.prediction->ms * 1e-3) / 1e9; }

std::string table_of(const std::vector<Row>& rows, const Roof& roof, const TableStyle& style) {
  const Wording& wording = style.wording;
  const auto roof_over = [&](const Row& row) { return roof.height(*intensity_of(row)); };
  std::vector<Column> columns{
      column({wording.say<"stage">()}, true, rows, [](const Row& row) { return row.name; }),
      column(heading_from(wording.say<"FLOP\na byte">()), false, rows,
             [](const Row& row) { return significant(*intensity_of(row)); }),
      column(heading_from(wording.say<"roof\nGFLOP/s">()), false, rows,
             [&](const Row& row) { return significant(roof_over(row)); }),
      column(heading_from(wording.say<"predicted\nGFLOP/s">()), false, rows,
             [](const Row& row) { return "~" + significant(reached(row)); }),
      column(heading_from(wording.say<"of\nroof">()), false, rows,
             [&](const Row& row) { return "~" + percent(100 * reached(row) / roof_over(row)); }),
      column({wording.say<"under">()}, true, rows,
             [&](const Row& row) {
               return *intensity_of(row) < roof.ridge() ? wording.say<"memory">()
                                                        : wording.say<"arithmetic">();
             }),
  };
  return lay_out(std::move(columns), 0, static_cast<std::size_t>(style.width), style.colour);
}

}  // namespace

double Roof::height(double intensity) const { return std::min(arithmetic_gflop_s, intensity * memory_gb_s); }
double Roof::ridge() const { return arithmetic_gflop_s / memory_gb_s; }

// A multiplication with its sum is two operations.
Roof roof_of(const vgpu::Card& card, bool is_double) {
  const double lanes = is_double ? card.fp64_lanes : card.fp32_lanes;
  return {2 * lanes * card.multiprocessors * card.clock_mhz * 1e-3, card.dram_gb_per_second};
}

std::optional<double> intensity_of(const Row& row) {
  const double bytes = amount_of(row, "dram");
  if (row.useful_flops <= 0 || bytes <= 0) return std::nullopt;
  return row.useful_flops / bytes;
}

bool computes_in_doubles(const lab::Result& result) {
  for (const auto& [name, value] : result.options)
    if (name == "type" && value == lab::OptionValue(std::string("f64"))) return true;
  return std::ranges::any_of(result.rows,
                             [](const Row& row) { return amount_of(row, "fp64") > amount_of(row, "fp32"); });
}

std::vector<Row> rows_under_roof(const lab::Result& result) {
  std::vector<Row> rows;
  for (const Row& row : result.rows)
    if (row.prediction && intensity_of(row)) rows.push_back(row);
  return rows;
}

std::string roofline_text(const lab::Result& result, const TableStyle& style) {
  const auto width = static_cast<std::size_t>(style.width);
  const std::vector<Row> rows = rows_under_roof(result);
  if (!result.card || rows.empty())
    return wrap(style.wording.say<"There is no roofline: it needs a predicted time, and a lab that says how "
                                  "many operations its kernels do.">(),
                width, 0) +
           "\n";
  const bool is_double = computes_in_doubles(result);
  const Roof roof = roof_of(*result.card, is_double);
  const std::string title = style.wording.say<
      "Roofline of the {}: {} GB/s of memory, {} GFLOP/s of {}-bit arithmetic; they meet at {} FLOP a byte">(
      result.card->name, significant(roof.memory_gb_s), significant(roof.arithmetic_gflop_s),
      is_double ? 64 : 32, significant(roof.ridge()));
  return inked(wrap(title, width, 0), Ink::kHeading, style.colour) + "\n" + table_of(rows, roof, style);
}

}  // namespace cudalab::report
