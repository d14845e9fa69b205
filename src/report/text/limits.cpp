// Explains what limits a kernel: a sentence about its predicted time, and its place under the GPU's roofline.
#include "report/text/limits.h"

#include <algorithm>
#include <array>
#include <functional>
#include <vector>

#include "messages/report.h"
#include "report/text/layout.h"
#include "report/text/values.h"
#include "vgpu/card.h"

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
      column({wording.say(msg::column_kernel())}, true, rows, [](const Row& row) { return row.name; }),
      column(heading_from(wording.say(msg::column_flop_a_byte())), false, rows,
             [](const Row& row) { return significant(*intensity_of(row)); }),
      column(heading_from(wording.say(msg::column_roof())), false, rows,
             [&](const Row& row) { return significant(roof_over(row)); }),
      column(heading_from(wording.say(msg::column_predicted_rate())), false, rows,
             [](const Row& row) { return "~" + significant(reached(row)); }),
      column(heading_from(wording.say(msg::column_of_roof())), false, rows,
             [&](const Row& row) { return "~" + percent(100 * reached(row) / roof_over(row)); }),
      column({wording.say(msg::column_under())}, true, rows,
             [&](const Row& row) {
               return wording.say(*intensity_of(row) < roof.ridge() ? msg::roof_of_memory()
                                                                    : msg::roof_of_arithmetic());
             }),
  };
  return lay_out(std::move(columns), Rule::kBelowHeading, static_cast<std::size_t>(style.width),
                 style.colour);
}

}  // namespace

double Roof::height(double intensity) const { return std::min(arithmetic_gflop_s, intensity * memory_gb_s); }
double Roof::ridge() const { return arithmetic_gflop_s / memory_gb_s; }

// A fused multiply-add counts as two operations.
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
  if (!result.card || rows.empty()) return wrap(style.wording.say(msg::roofline_missing()), width, 0) + "\n";
  const bool is_double = computes_in_doubles(result);
  const Roof roof = roof_of(*result.card, is_double);
  const std::string title = style.wording.say(msg::roofline_heading(
      result.card->name, significant(roof.memory_gb_s), significant(roof.arithmetic_gflop_s),
      is_double ? 64 : 32, significant(roof.ridge())));
  return inked(wrap(title, width, 0), Ink::kHeading, style.colour) + "\n" + table_of(rows, roof, style);
}

namespace {

constexpr double kWorthSaying = 0.95;  // minimum / found; a larger ratio is too little waste to mention

struct ResourceName {
  std::string_view resource;
  Message (*name)();
};
constexpr std::array kResources{
    ResourceName{"dram", msg::resource_dram},       ResourceName{"l2", msg::resource_l2},
    ResourceName{"l1", msg::resource_l1},           ResourceName{"shared", msg::memory_shared},
    ResourceName{"issue", msg::resource_issue},     ResourceName{"fp32", msg::resource_fp32},
    ResourceName{"fp64", msg::resource_fp64},       ResourceName{"sfu", msg::resource_sfu},
    ResourceName{"int", msg::resource_int},         ResourceName{"tensor", msg::resource_tensor},
    ResourceName{"atomics", msg::resource_atomics}, ResourceName{"constant", msg::memory_constant},
    ResourceName{"latency", msg::resource_latency}, ResourceName{"waiting", msg::resource_waiting},
    ResourceName{"launch", msg::resource_launch},   ResourceName{"link", msg::resource_link},
};

// ---- causes ------------------------------------------------------------------------------------------

double ratio(double a, double b) { return b > 0 ? a / b : 0; }

std::optional<Message> conflicts(const lab::Row& row) {
  if (!row.counters) return std::nullopt;
  const Counters& counters = *row.counters;
  const double wavefronts = counters.value_or_zero(Counter::kSharedLoadWavefronts) +
                            counters.value_or_zero(Counter::kSharedStoreWavefronts);
  const double lost = counters.value_or_zero(Counter::kSharedLoadConflicts) +
                      counters.value_or_zero(Counter::kSharedStoreConflicts);
  const double requests = counters.value_or_zero(Counter::kSharedLoadRequests) +
                          counters.value_or_zero(Counter::kSharedStoreRequests);
  const double part = 1 - ratio(lost, wavefronts);
  if (requests == 0 || part > kWorthSaying) return std::nullopt;
  return msg::limit_wavefronts(significant(wavefronts / requests));
}

std::optional<Message> wasted_sectors(const lab::Row& row) {
  double sectors = 0, fewest = 0, requests = 0;
  for (const LineAccess& access : row.accesses) {
    if (access.space != MemorySpace::kGlobal) continue;
    sectors += static_cast<double>(access.transactions);
    fewest += static_cast<double>(access.fewest_transactions);
    requests += static_cast<double>(access.requests);
  }
  const double part = ratio(fewest, sectors);
  if (requests == 0 || part > kWorthSaying) return std::nullopt;
  return msg::limit_sectors(significant(sectors / requests), significant(fewest / requests));
}

// The average number of resident warps per SM if the grid does not fill the GPU.
double resident_warps(const Occupancy& occupancy) { return occupancy.warps * std::min(1.0, occupancy.waves); }

// If every SM holds its maximum number of warps, more warps cannot hide the latency. With many waves of
// blocks, the start of each wave is then the cause.
Message why_warps_wait(const Occupancy& occupancy) {
  constexpr double kManyWaves = 4;
  if (occupancy.warps >= occupancy.most_warps && occupancy.waves >= kManyWaves)
    return msg::limit_waves_wait(occupancy.most_warps, significant(occupancy.waves));
  if (occupancy.warps >= occupancy.most_warps && occupancy.waves >= 1)
    return msg::limit_all_warps_wait(occupancy.most_warps);
  return msg::limit_some_warps_wait(significant(resident_warps(occupancy)), occupancy.most_warps,
                                    name_of_limit(occupancy.limited_by));
}

std::optional<Message> cause_of(const std::string& resource, const lab::Row& row) {
  if (resource == "shared") return conflicts(row);
  if (resource == "l1" || resource == "l2") return wasted_sectors(row);
  if (resource == "latency") return why_warps_wait(row.prediction->occupancy);
  if (resource == "waiting") return msg::limit_hand_overs(significant(row.prediction->limits.front().amount));
  return std::nullopt;
}

// Adds the unused part of the GPU: " (the grid fills 12 % of the card)".
Message with_idle_part(Message limit, const Occupancy& occupancy) {
  if (occupancy.waves <= 0 || occupancy.waves >= 1) return limit;
  return msg::limit_share_of_idle_card(std::move(limit), percent(100 * occupancy.waves));
}

}  // namespace

Message name_of_resource(const std::string& resource) {
  const auto found = std::ranges::find(kResources, resource, &ResourceName::resource);
  return found == kResources.end() ? Message::verbatim(resource) : found->name();
}

std::string predicted(double milliseconds) { return "~" + duration(milliseconds); }

Message name_of_limit(OccupancyLimit limit) {
  switch (limit) {
    case OccupancyLimit::kShared: return msg::memory_shared();
    case OccupancyLimit::kGrid: return msg::limit_by_grid();
    case OccupancyLimit::kRegisters: return msg::limit_by_registers();
    case OccupancyLimit::kThreads: return msg::limit_by_threads();
    case OccupancyLimit::kBlocks: break;
  }
  return msg::limit_by_blocks();
}

std::optional<Message> explain_limits(const lab::Row& row) {
  if (!row.prediction || row.prediction->limits.empty()) return std::nullopt;
  const Prediction& prediction = *row.prediction;
  const Limit& first = prediction.limits.front();
  Message limit = with_idle_part(msg::limit_share(name_of_resource(first.resource),
                                                  percent(100 * first.share), predicted(prediction.ms)),
                                 prediction.occupancy);
  const std::optional<Message> cause = cause_of(first.resource, row);
  return cause ? msg::limit_cause(std::move(limit), *cause) : limit;
}

}  // namespace cudalab::report
