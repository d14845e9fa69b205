// Draws costs: those of each source line, of each resource, of each stage, occupancy and the roofline.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>

#include "core/text.h"
#include "messages/report.h"
#include "report/pictures/builders.h"
#include "report/text/explanations.h"
#include "report/text/layout.h"
#include "report/text/limits.h"
#include "report/text/values.h"

namespace cudalab::report {
namespace {

// ---- source --------------------------------------------------------------------------------------------

struct ListedCost {
  double requests = 0, transactions = 0, fewest = 0;
  bool is_in_banks = false;  // counted in wavefronts, not in sectors
  double waste() const { return transactions > fewest * kWorthMentioning ? transactions - fewest : 0; }
};

bool is_counted(MemorySpace space) {
  return space == MemorySpace::kGlobal || space == MemorySpace::kShared || space == MemorySpace::kLocal;
}

// For each line its most expensive kind of access.
std::map<int, ListedCost> listed_costs_of(const lab::Row& row) {
  std::map<int, ListedCost> costs;
  for (const LineAccess& access : row.accesses) {
    if (access.where.file != row.source || access.requests == 0 || !is_counted(access.space)) continue;
    const auto transactions = static_cast<double>(access.transactions);
    ListedCost& cost = costs[access.where.line];
    const ListedCost here{static_cast<double>(access.requests), transactions,
                          std::min(static_cast<double>(access.fewest_transactions), transactions),
                          access.space == MemorySpace::kShared};
    if (std::pair(here.waste(), here.transactions) > std::pair(cost.waste(), cost.transactions)) cost = here;
  }
  return costs;
}

Message cost_of(const ListedCost& cost) {
  const std::string each = significant(cost.transactions / cost.requests),
                    fewest = significant(cost.fewest / cost.requests);
  if (cost.waste() == 0) return cost.is_in_banks ? msg::count_passes(each) : msg::count_sectors(each);
  return cost.is_in_banks ? msg::cost_passes(each, fewest) : msg::cost_sectors(each, fewest);
}

// The first and the last executed line.
std::optional<std::pair<int, int>> range_of(const lab::Row& row) {
  std::optional<std::pair<int, int>> range;
  for (const LineExecution& line : row.executions) {
    if (line.where.file != row.source || line.where.line <= 0) continue;
    const int at = line.where.line;
    range = range ? std::pair(std::min(range->first, at), std::max(range->second, at)) : std::pair(at, at);
  }
  return range;
}

// ---- bars ----------------------------------------------------------------------------------------------

constexpr double kWorthABar = 0.01;  // the smallest share of the time that gets a bar

struct UnitName {
  std::string_view unit;
  Message (*counted)(Argument);
};
constexpr UnitName kUnits[]{
    {"bytes", msg::count_bytes},           {"wavefronts", msg::count_wavefronts},
    {"passes", msg::count_passes},         {"instructions", msg::count_instructions},
    {"products", msg::count_products},     {"updates", msg::count_updates},
    {"clocks", msg::count_clocks},         {"blocks", msg::count_blocks},
    {"hand-overs", msg::count_hand_overs},
};

Message amount_of(const Limit& limit) {
  const std::string amount = significant(limit.amount);
  const auto found = std::ranges::find(kUnits, limit.unit, &UnitName::unit);
  return found == std::end(kUnits) ? Message::verbatim(fmt::format("{} {}", amount, limit.unit))
                                   : found->counted(amount);
}

// ---- occupancy -----------------------------------------------------------------------------------------

// The contents of the SM with the most blocks.
struct Filling {
  int warps_a_block = 1, blocks = 0;
};
Filling filling_of(const Occupancy& occupancy) {
  Filling filling{std::max(1, occupancy.warps / occupancy.blocks), occupancy.blocks};
  if (occupancy.waves > 0 && occupancy.waves < 1)
    filling.blocks = std::max(1, static_cast<int>(std::ceil(occupancy.waves * occupancy.blocks)));
  return filling;
}

Cell cell_of_warp(int warp, const Occupancy& occupancy, const Filling& filling) {
  const int block = warp / filling.warps_a_block;
  if (block >= occupancy.blocks) return {'.', Tone::kBad};
  if (block >= filling.blocks) return {'-', Tone::kFaint};
  return {static_cast<char>('A' + block % 26), tone_of_number(static_cast<std::size_t>(block))};
}

Cells filled_cells(const Occupancy& occupancy, const Filling& filling) {
  constexpr int kARow = 16;
  Cells cells;
  for (int first = 0; first < occupancy.most_warps; first += kARow) {
    const int end = std::min(first + kARow, occupancy.most_warps);
    CellRow& row = cells.rows.emplace_back(CellRow{msg::label_warps(first, end - 1), {}, {}});
    for (int warp = first; warp < end; ++warp) row.cells.push_back(cell_of_warp(warp, occupancy, filling));
  }
  return cells;
}

Message what_allows_no_more(OccupancyLimit limit) {
  switch (limit) {
    case OccupancyLimit::kShared: return msg::allows_shared();
    case OccupancyLimit::kRegisters: return msg::allow_registers();
    case OccupancyLimit::kThreads: return msg::allow_threads();
    case OccupancyLimit::kBlocks: return msg::allow_blocks();
    case OccupancyLimit::kGrid: break;
  }
  return {};
}

// "4 blocks of 8 warps each fit: …".
Message what_fits(const Occupancy& occupancy, const Filling& filling) {
  const std::string share = percent(100.0 * occupancy.warps / occupancy.most_warps);
  const Message limit = what_allows_no_more(occupancy.limited_by);
  return limit.empty() ? msg::picture_occupancy_fit(occupancy.blocks, filling.warps_a_block, occupancy.warps,
                                                    occupancy.most_warps, share)
                       : msg::picture_occupancy_limited(occupancy.blocks, filling.warps_a_block,
                                                        occupancy.warps, occupancy.most_warps, share, limit);
}

// ---- stages --------------------------------------------------------------------------------------------

struct StageTime {
  std::string row;
  double ms = 0;
  Tone tone = Tone::kPlain;
  char glyph = '#';
  std::string text;
};

std::vector<StageTime> times_of(const lab::Row& row) {
  std::vector<StageTime> times;
  if (row.time_ms)
    times.push_back({row.name, row.time_ms->median, Tone::kGood, '@', duration(row.time_ms->median)});
  if (row.prediction)
    times.push_back({row.name, row.prediction->ms, Tone::kFirst, '#', predicted(row.prediction->ms)});
  if (row.recorded_ms)
    times.push_back({row.name, *row.recorded_ms, Tone::kPlain, '=', duration(*row.recorded_ms)});
  return times;
}

// ---- roofline ------------------------------------------------------------------------------------------

double reached_gflop_s(const lab::Row& row) { return row.useful_flops / (row.prediction->ms * 1e-3) / 1e9; }

Curve roof_curve(const Roof& roof, double low, double high) {
  Curve curve{msg::curve_ceilings(), {}, Tone::kFaint, '-', false, true};
  for (const double x : {low, roof.ridge(), high}) curve.points.emplace_back(x, roof.height(x));
  return curve;
}

char letter(std::size_t number) { return static_cast<char>('a' + number % 26); }

}  // namespace

std::optional<Picture> source_picture(const lab::Row& row, std::string_view source) {
  constexpr int kContext = 2;
  const auto range = range_of(row);
  if (!row.counters || !range) return std::nullopt;
  const std::map<int, ListedCost> costs = listed_costs_of(row);
  double most = 0;
  for (const auto& [line, cost] : costs) most = std::max(most, cost.transactions);
  const std::vector<std::string> lines = lines_in(source);
  Listing listing{msg::cost_of_request(), {}};
  const int last = std::min(range->second + kContext, static_cast<int>(lines.size()));
  for (int number = std::max(1, range->first - kContext); number <= last; ++number) {
    ListedLine line{number, lines[static_cast<std::size_t>(number - 1)], {}, 0, Tone::kPlain};
    if (const auto cost = costs.find(number); cost != costs.end()) {
      line.cost = cost_of(cost->second);
      line.share = cost->second.transactions / most;
      line.tone = cost->second.waste() > 0 ? Tone::kBad : Tone::kGood;
    }
    listing.lines.push_back(std::move(line));
  }
  return Picture{
      "source", Message::verbatim(row.source), {msg::picture_bars_compare_lines()}, {}, std::move(listing)};
}

std::optional<Picture> limits_picture(const lab::Row& row) {
  if (!row.prediction || row.prediction->limits.empty()) return std::nullopt;
  Bars bars{{}, 1};
  for (const Limit& limit : row.prediction->limits) {
    if (limit.share < kWorthABar) continue;
    const Tone tone = bars.bars.empty() ? Tone::kBad : Tone::kFirst;
    bars.bars.push_back(
        {name_of_resource(limit.resource),
         {{limit.share, tone, '#'}},
         msg::bar_share_and_amount(fmt::format("{:>5}", percent(100 * limit.share)), amount_of(limit))});
  }
  Picture picture{"limits",
                  msg::picture_limits(predicted(row.prediction->ms), row.prediction->card),
                  {},
                  {},
                  std::move(bars)};
  if (const auto why = explain_limits(row)) picture.why = *why;
  return picture;
}

std::optional<Picture> occupancy_picture(const lab::Row& row) {
  if (!row.prediction || row.prediction->occupancy.most_warps <= 0 || row.prediction->occupancy.blocks <= 0)
    return std::nullopt;
  const Occupancy& occupancy = row.prediction->occupancy;
  const Filling filling = filling_of(occupancy);
  Picture picture{"occupancy", msg::picture_occupancy(), {}, {}, filled_cells(occupancy, filling)};
  picture.caption = {what_fits(occupancy, filling)};
  if (filling.blocks < occupancy.blocks)
    picture.caption.push_back(msg::picture_grid_fills_places(percent(100 * occupancy.waves)));
  else if (occupancy.waves > 0)
    picture.caption.push_back(msg::picture_grid_fills_times(significant(occupancy.waves)));
  picture.legend = {{"A B ...", Tone::kFirst, msg::legend_blocks_of_warps()}};
  if (filling.blocks < occupancy.blocks)
    picture.legend.push_back({"-", Tone::kFaint, msg::legend_room_without_block()});
  if (occupancy.warps < occupancy.most_warps)
    picture.legend.push_back({".", Tone::kBad, msg::legend_no_block_fits()});
  return picture;
}

// The size of a recording may differ, so each kind of time is scaled to the full width.
std::optional<Picture> stages_picture(const lab::Result& result) {
  std::vector<StageTime> times;
  std::map<char, double> longest;
  for (const lab::Row& row : result.rows)
    if (!lab::is_cpu(row)) std::ranges::move(times_of(row), std::back_inserter(times));
  for (const StageTime& time : times) longest[time.glyph] = std::max(longest[time.glyph], time.ms);
  if (times.empty()) return std::nullopt;
  Bars bars{{}, 1};
  std::string before;
  for (const StageTime& time : times) {
    const double share = longest[time.glyph] > 0 ? time.ms / longest[time.glyph] : 0;
    bars.bars.push_back({time.row == before ? Message() : Message::verbatim(time.row),
                         {{share, time.tone, time.glyph}},
                         Message::verbatim(time.text)});
    before = time.row;
  }
  Picture picture{"stages", msg::picture_stages(), {}, {}, std::move(bars)};
  if (longest.contains('@')) picture.legend.push_back({"@", Tone::kGood, msg::legend_measured()});
  if (longest.contains('#'))
    picture.legend.push_back(
        {"#", Tone::kFirst,
         result.card ? msg::legend_predicted_for(result.card->name) : msg::legend_predicted_for_the_card()});
  if (longest.contains('=')) picture.legend.push_back({"=", Tone::kPlain, result.recorded});
  if (longest.size() > 1) picture.caption.push_back(msg::picture_own_scales());
  return picture;
}

std::optional<Picture> roofline_picture(const lab::Result& result) {
  const std::vector<lab::Row> rows = rows_under_roof(result);
  if (!result.card || rows.empty()) return std::nullopt;
  const Roof roof = roof_of(*result.card, computes_in_doubles(result));
  double low = roof.ridge(), high = roof.ridge();
  for (const lab::Row& row : rows) {
    low = std::min(low, *intensity_of(row));
    high = std::max(high, *intensity_of(row));
  }
  Plot plot{{msg::axis_intensity(), true}, {Message::verbatim("GFLOP/s"), true}, {}};
  plot.curves.push_back(roof_curve(roof, low / 4, high * 4));
  Picture picture{"roofline", msg::picture_roofline(result.card->name), {}, {}, {}};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double intensity = *intensity_of(rows[i]), reached = reached_gflop_s(rows[i]);
    plot.curves.push_back(
        {Message::verbatim(rows[i].name), {{intensity, reached}}, tone_of_number(i), letter(i), true, false});
    picture.legend.push_back({std::string(1, letter(i)), tone_of_number(i),
                              msg::legend_roofline_stage(rows[i].name, significant(reached),
                                                         percent(100 * reached / roof.height(intensity)))});
  }
  picture.caption = {
      msg::picture_ceilings(significant(roof.memory_gb_s), significant(roof.arithmetic_gflop_s))};
  picture.body = std::move(plot);
  return picture;
}

}  // namespace cudalab::report
