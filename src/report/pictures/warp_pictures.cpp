// Pictures of a warp over time: where its lanes diverge, and what they exchange by shuffles and votes.
#include <algorithm>
#include <bit>
#include <map>
#include <set>
#include <string>

#include "messages/report.h"
#include "report/pictures/builders.h"
#include "report/text/values.h"

namespace cudalab::report {
namespace {

constexpr std::size_t kMostRows = 40, kLaneMarks = 4;

bool is_part(const PathStep& step) { return step.lanes != step.alive; }

std::size_t parts_of(const WarpPaths& warp, const std::string& file, int line) {
  return static_cast<std::size_t>(std::ranges::count_if(warp.steps, [&](const PathStep& step) {
    return is_part(step) && (line == 0 || (step.where.line == line && step.where.file == file));
  }));
}

// One colour per source line.
using Colours = std::map<int, Tone>;
Tone colour_of(const PathStep& step, Colours& colours) {
  return colours.try_emplace(step.where.line, tone_of_number(colours.size())).first->second;
}

CellRow row_of(const PathStep& step, Tone tone) {
  CellRow row{step.where.line > 0 ? msg::label_line(step.where.line) : msg::label_start(), {}, {}};
  for (std::size_t lane = 0; lane < kRecordedLanes; ++lane) {
    const bool runs = step.lanes >> lane & 1, waits = !runs && (step.alive >> lane & 1);
    row.cells.push_back(runs    ? Cell{kLaneGlyphs[lane], tone, static_cast<int>(lane)}
                        : waits ? Cell{'.', Tone::kFaint}
                                : Cell{' ', Tone::kPlain});
  }
  if (step.end > step.begin) row.note = msg::count_instructions(step.end - step.begin);
  return row;
}

Message caption_of(const WarpPaths& warp) {
  double busy = 0, all = 0;
  for (const PathStep& step : warp.steps) {
    const auto length = static_cast<double>(step.end > step.begin ? step.end - step.begin : 0);
    busy += length * std::popcount(step.lanes);
    all += length * kRecordedLanes;
  }
  return msg::picture_lanes_worked(percent(all > 0 ? 100 * busy / all : 0));
}

}  // namespace

const WarpPaths* telling_warp(const Recording& recording, const std::string& file, int line) {
  const WarpPaths* found = nullptr;
  std::size_t most = 0;
  for (const WarpPaths& warp : recording.warps)
    if (const std::size_t parts = parts_of(warp, file, line); parts > most) {
      most = parts;
      found = &warp;
    }
  return found;
}

Picture divergence_picture(const WarpPaths& warp) {
  Picture picture{"divergence",
                  msg::picture_divergence(msg::warp_of_block(BlockIndex{warp.block}, warp.warp)),
                  {},
                  {},
                  {}};
  Cells cells{.corner = msg::corner_lane(), .marks_every = kLaneMarks};
  for (std::size_t lane = 0; lane < kRecordedLanes; lane += kLaneMarks)
    cells.marks.push_back(std::to_string(lane));
  Colours colours;
  const std::size_t shown = std::min(warp.steps.size(), kMostRows);
  for (std::size_t i = 0; i < shown; ++i)
    cells.rows.push_back(row_of(warp.steps[i], colour_of(warp.steps[i], colours)));
  picture.caption = {caption_of(warp)};
  if (shown < warp.steps.size())
    picture.caption.push_back(msg::picture_first_steps(shown, warp.steps.size()));
  picture.legend = {{"0-9 a-v", Tone::kFirst, msg::legend_lanes_go_on()},
                    {".", Tone::kFaint, msg::legend_lanes_wait()}};
  picture.body = std::move(cells);
  return picture;
}

namespace {

constexpr std::size_t kMarksEvery = 4;

bool takes_part(const LaneExchange& exchange, std::size_t lane) { return exchange.lanes >> lane & 1; }

template <class Holds>
int lanes_where(const LaneExchange& exchange, Holds holds) {
  int lanes = 0;
  for (std::size_t lane = 0; lane < kRecordedLanes; ++lane)
    if (takes_part(exchange, lane) && holds(lane, exchange.from[lane])) ++lanes;
  return lanes;
}

// The first lanes of the groups; their order determines the groups' colours.
std::vector<std::size_t> groups_in(const LaneExchange& exchange) {
  std::set<std::size_t> firsts;
  for (std::size_t lane = 0; lane < kRecordedLanes; ++lane)
    if (takes_part(exchange, lane)) firsts.insert(exchange.from[lane]);
  return {firsts.begin(), firsts.end()};
}

Tone tone_of_group(const LaneExchange& exchange, std::size_t first) {
  const std::vector<std::size_t> groups = groups_in(exchange);
  return tone_of_number(static_cast<std::size_t>(std::ranges::find(groups, first) - groups.begin()));
}

// ---- one row per kind of exchange ----------------------------------------------------------------------

Cell cell_of_shuffle(const LaneExchange& exchange, std::size_t lane) {
  const std::size_t from = exchange.from[lane];
  return {kLaneGlyphs[from], from == lane ? Tone::kFaint : Tone::kGood, static_cast<int>(from)};
}

Message note_of_shuffle(const LaneExchange& exchange) {
  return msg::exchange_from_others(
      lanes_where(exchange, [](std::size_t lane, std::size_t from) { return from != lane; }));
}

Cell cell_of_vote(const LaneExchange& exchange, std::size_t lane) {
  return exchange.from[lane] ? Cell{'#', Tone::kGood} : Cell{'-', Tone::kBad};
}

Message note_of_vote(const LaneExchange& exchange) {
  return msg::exchange_yes(lanes_where(exchange, [](std::size_t, std::size_t answer) { return answer != 0; }),
                           std::popcount(exchange.lanes));
}

Cell cell_of_group(const LaneExchange& exchange, std::size_t lane) {
  const std::size_t first = exchange.from[lane];
  return {kLaneGlyphs[first], tone_of_group(exchange, first), static_cast<int>(first)};
}

Message note_of_match(const LaneExchange& exchange) { return msg::count_values(groups_in(exchange).size()); }

Message note_of_reduction(const LaneExchange& exchange) {
  return msg::exchange_into(std::popcount(exchange.lanes), groups_in(exchange).size());
}

struct Drawn {
  Message (*label)(Argument number);
  Cell (*cell)(const LaneExchange&, std::size_t lane);
  Message (*note)(const LaneExchange&);
  std::vector<LegendEntry> legend;
};

// Indexed by ExchangeKind.
const std::array<Drawn, kExchangeKinds>& kinds() {
  static const std::array<Drawn, kExchangeKinds> table{{
      {msg::label_shuffle,
       cell_of_shuffle,
       note_of_shuffle,
       {{"0-9 a-v", Tone::kGood, msg::legend_value_of_lane()}}},
      {msg::label_vote,
       cell_of_vote,
       note_of_vote,
       {{"#", Tone::kGood, msg::legend_yes()}, {"-", Tone::kBad, msg::legend_no()}}},
      {msg::label_match,
       cell_of_group,
       note_of_match,
       {{"0-9 a-v", Tone::kFirst, msg::legend_first_of_value()}}},
      {msg::label_reduction,
       cell_of_group,
       note_of_reduction,
       {{"0-9 a-v", Tone::kFirst, msg::legend_first_of_reduction()}}},
  }};
  return table;
}

const Drawn& drawn_as(ExchangeKind kind) { return kinds().at(static_cast<std::size_t>(kind)); }

CellRow row_of(const LaneExchange& exchange, std::size_t number) {
  const Drawn& kind = drawn_as(exchange.kind);
  CellRow row{kind.label(number), {}, kind.note(exchange)};
  for (std::size_t lane = 0; lane < kRecordedLanes; ++lane)
    row.cells.push_back(takes_part(exchange, lane) ? kind.cell(exchange, lane) : Cell{'.', Tone::kFaint});
  return row;
}

std::size_t count_of(const LineExchanges& line, ExchangeKind kind) {
  return static_cast<std::size_t>(std::ranges::count(line.first, kind, &LaneExchange::kind));
}

std::vector<LegendEntry> legend_of(const LineExchanges& line) {
  std::vector<LegendEntry> legend;
  bool is_partial = false;
  for (const LaneExchange& each : line.first) is_partial |= each.lanes != ~0u;
  for (std::size_t kind = 0; kind < kExchangeKinds; ++kind)
    if (count_of(line, static_cast<ExchangeKind>(kind)) > 0)
      std::ranges::copy(kinds()[kind].legend, std::back_inserter(legend));
  if (is_partial) legend.push_back({".", Tone::kFaint, msg::legend_lanes_idle()});
  return legend;
}

const LineExchanges* with_most(const Recording& recording, ExchangeKind kind) {
  const LineExchanges* found = nullptr;
  for (const LineExchanges& here : recording.exchanges)
    if (count_of(here, kind) > (found ? count_of(*found, kind) : 0)) found = &here;
  return found;
}

}  // namespace

std::vector<const LineExchanges*> telling_exchanges(const Recording& recording, const std::string& file,
                                                    int line) {
  std::vector<const LineExchanges*> found;
  for (const LineExchanges& here : recording.exchanges)
    if (line != 0 && here.where.line == line && here.where.file == file) found.push_back(&here);
  if (line != 0) return found;
  for (std::size_t kind = 0; kind < kExchangeKinds; ++kind)
    if (const LineExchanges* most = with_most(recording, static_cast<ExchangeKind>(kind));
        most && std::ranges::find(found, most) == found.end())
      found.push_back(most);
  return found;
}

Picture exchanges_picture(const LineExchanges& line) {
  const bool shuffles_alone = count_of(line, ExchangeKind::kShuffle) == line.first.size();
  const Message place = msg::warp_of_block(BlockIndex{line.block}, line.warp);
  Picture picture{"lanes",
                  shuffles_alone ? msg::picture_shuffles(line.where.line, place)
                                 : msg::picture_exchanges(line.where.line, place),
                  {},
                  {},
                  {}};
  Cells cells{.corner = msg::corner_lane(), .marks_every = kMarksEvery};
  for (std::size_t lane = 0; lane < kRecordedLanes; lane += kMarksEvery)
    cells.marks.push_back(std::to_string(lane));
  for (std::size_t i = 0; i < line.first.size(); ++i) cells.rows.push_back(row_of(line.first[i], i + 1));
  picture.legend = legend_of(line);
  picture.body = std::move(cells);
  return picture;
}

}  // namespace cudalab::report
