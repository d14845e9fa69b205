// What limits a kernel: a sentence about its predicted time, and its place under the GPU's roofline.
#include "report/text/limits.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <vector>

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

namespace {

constexpr std::string_view kLaunch = "launch";
constexpr double kWorthSaying = 0.95;  // of what is asked for: a part that is hardly smaller is no advice

struct ResourceName {
  std::string_view resource;
  std::string (*name)(const Wording&);
};
constexpr std::array kResources{
    ResourceName{"dram", [](const Wording& wording) { return wording.say<"the card's memory">(); }},
    ResourceName{"l2", [](const Wording& wording) { return wording.say<"the L2 cache">(); }},
    ResourceName{"l1", [](const Wording& wording) { return wording.say<"the L1 cache">(); }},
    ResourceName{"shared", [](const Wording& wording) { return wording.say<"shared memory">(); }},
    ResourceName{"issue", [](const Wording& wording) { return wording.say<"issuing instructions">(); }},
    ResourceName{"fp32",
                 [](const Wording& wording) { return wording.say<"32-bit floating-point arithmetic">(); }},
    ResourceName{"fp64",
                 [](const Wording& wording) { return wording.say<"64-bit floating-point arithmetic">(); }},
    ResourceName{
        "sfu",
        [](const Wording& wording) { return wording.say<"computing roots and other special functions">(); }},
    ResourceName{"int", [](const Wording& wording) { return wording.say<"integer arithmetic">(); }},
    ResourceName{"tensor",
                 [](const Wording& wording) { return wording.say<"multiplying small matrices">(); }},
    ResourceName{"atomics", [](const Wording& wording) { return wording.say<"serving atomics">(); }},
    ResourceName{"constant", [](const Wording& wording) { return wording.say<"constant memory">(); }},
    ResourceName{"latency", [](const Wording& wording) { return wording.say<"waiting for results">(); }},
    ResourceName{"waiting", [](const Wording& wording) { return wording.say<"waiting for other blocks">(); }},
    ResourceName{"launch", [](const Wording& wording) { return wording.say<"starting the kernel">(); }},
    ResourceName{"link",
                 [](const Wording& wording) { return wording.say<"the way between host and card">(); }},
};

// ---- causes ------------------------------------------------------------------------------------------

// Why a resource takes so long, and the part of it that would do.
struct Cause {
  std::string what, remedy;
  double part = 0;
};

double ratio(double a, double b) { return b > 0 ? a / b : 0; }

std::optional<Cause> conflicts(const lab::Row& row, const Wording& wording) {
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
  return Cause{
      wording.count<"{} wavefront a request", "{} wavefronts a request">(significant(wavefronts / requests)),
      wording.say<"without conflicts">(), part};
}

std::optional<Cause> wasted_sectors(const lab::Row& row, const Wording& wording) {
  double sectors = 0, fewest = 0, requests = 0;
  for (const LineAccess& access : row.accesses) {
    if (access.space != MemorySpace::kGlobal) continue;
    sectors += static_cast<double>(access.transactions);
    fewest += static_cast<double>(access.fewest_transactions);
    requests += static_cast<double>(access.requests);
  }
  const double part = ratio(fewest, sectors);
  if (requests == 0 || part > kWorthSaying) return std::nullopt;
  return Cause{
      wording.count<"{} sector a request where {} would do", "{} sectors a request where {} would do">(
          significant(sectors / requests), significant(fewest / requests)),
      wording.say<"with the fewest">(), part};
}

std::string limited_by(OccupancyLimit limit, const Wording& wording) {
  switch (limit) {
    case OccupancyLimit::kShared: return wording.say<"shared memory limits">();
    case OccupancyLimit::kGrid: return wording.say<"the grid limits">();
    case OccupancyLimit::kRegisters: return wording.say<"registers limit">();
    case OccupancyLimit::kThreads: return wording.say<"threads limit">();
    case OccupancyLimit::kBlocks: break;
  }
  return wording.say<"blocks limit">();
}

// What a multiprocessor has on average where the grid does not fill it.
double resident_warps(const Occupancy& occupancy) { return occupancy.warps * std::min(1.0, occupancy.waves); }

// Where a multiprocessor has all the warps that it can hold, nobody can give it more of them. What waits too
// often is then each wave of blocks, which begins anew.
std::optional<Cause> few_warps(const lab::Row& row, const Wording& wording) {
  const Occupancy& occupancy = row.prediction->occupancy;
  constexpr double kManyWaves = 4;
  if (occupancy.warps >= occupancy.most_warps && occupancy.waves >= kManyWaves)
    return Cause{
        wording.say<"a multiprocessor has all {} warps that it holds, but each of {} waves of blocks "
                    "waits anew">(occupancy.most_warps, significant(occupancy.waves)),
        wording.say<"with no wait at all">(), 0};
  if (occupancy.warps >= occupancy.most_warps && occupancy.waves >= 1)
    return Cause{wording.say<"all {} warps that a multiprocessor holds wait in turn">(occupancy.most_warps),
                 wording.say<"with no wait at all">(), 0};
  return Cause{wording.say<"{} of {} warps a multiprocessor wait in turn, which {}">(
                   significant(resident_warps(occupancy)), occupancy.most_warps,
                   limited_by(occupancy.limited_by, wording)),
               wording.say<"with no wait at all">(), 0};
}

std::optional<Cause> hand_overs(const lab::Row& row, const Wording& wording) {
  const double amount = row.prediction->limits.front().amount;
  return Cause{wording.count<"{} hand-over from block to block",
                             "{} hand-overs from block to block, one after the other">(significant(amount)),
               wording.say<"if none had to wait">(), 0};
}

std::optional<Cause> cause_of(const std::string& resource, const lab::Row& row, const Wording& wording) {
  if (resource == "shared") return conflicts(row, wording);
  if (resource == "l1" || resource == "l2") return wasted_sectors(row, wording);
  if (resource == "latency") return few_warps(row, wording);
  if (resource == "waiting") return hand_overs(row, wording);
  return std::nullopt;
}

// What idles: " (the grid fills 12 % of the card)".
std::string idle_part(const Occupancy& occupancy, const Wording& wording) {
  if (occupancy.waves <= 0 || occupancy.waves >= 1) return "";
  return wording.say<" (the grid fills {} of the card)">(percent(100 * occupancy.waves));
}

}  // namespace

std::string name_of_resource(const std::string& resource, const Wording& wording) {
  const auto found = std::ranges::find(kResources, resource, &ResourceName::resource);
  return found == kResources.end() ? resource : found->name(wording);
}

std::string predicted(double milliseconds) { return "~" + duration(milliseconds); }

// Before a launch begins nothing else does; its blocks start while others run.
double predicted_ms_with(const Prediction& prediction, const std::string& resource, double part) {
  const vgpu::Card* card = vgpu::find_card(prediction.card);
  double scarcest = 0, launch = 0;
  for (const Limit& limit : prediction.limits) {
    double ms = limit.share * prediction.ms * (limit.resource == resource ? part : 1);
    if (limit.resource == kLaunch) {
      launch = card ? std::min(ms, card->launch_us * 1e-3) : ms;
      ms -= launch;
    }
    scarcest = std::max(scarcest, ms);
  }
  return std::min(prediction.ms, scarcest + launch);
}

std::optional<std::string> explain_limits(const lab::Row& row, const Wording& wording) {
  if (!row.prediction || row.prediction->limits.size() < 2) return std::nullopt;  // nothing else would remain
  const Prediction& prediction = *row.prediction;
  const Limit& first = prediction.limits.front();
  const Cause cause =
      cause_of(first.resource, row, wording).value_or(Cause{"", wording.say<"without it">(), 0});
  return wording.say<"{} takes {} of {}{}{}; {} {}">(
      name_of_resource(first.resource, wording), percent(100 * first.share), predicted(prediction.ms),
      idle_part(prediction.occupancy, wording), cause.what.empty() ? "" : ": " + cause.what, cause.remedy,
      predicted(predicted_ms_with(prediction, first.resource, cause.part)));
}

}  // namespace cudalab::report
