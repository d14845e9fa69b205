// Turns the shuffles of a line into rows of lanes.
#include "report/pictures/exchanges.h"

#include <fmt/format.h>

#include <bit>
#include <string>

#include "core/text.h"

namespace cudalab::report {
namespace {

constexpr std::size_t kMarksEvery = 4;

bool takes_part(const LaneExchange& exchange, std::size_t lane) { return exchange.lanes >> lane & 1; }

Cell cell_of(const LaneExchange& exchange, std::size_t lane) {
  if (!takes_part(exchange, lane)) return {'.', Tone::kFaint};
  const std::size_t from = exchange.from[lane];
  return {kLaneGlyphs[from], from == lane ? Tone::kFaint : Tone::kGood, static_cast<int>(from)};
}

int of_another(const LaneExchange& exchange) {
  int lanes = 0;
  for (std::size_t lane = 0; lane < kRecordedLanes; ++lane)
    if (takes_part(exchange, lane) && exchange.from[lane] != lane) ++lanes;
  return lanes;
}

CellRow row_of(const LaneExchange& exchange, std::size_t number) {
  CellRow row{fmt::format("shuffle {}", number), {}, fmt::format("{} of another", of_another(exchange))};
  for (std::size_t lane = 0; lane < kRecordedLanes; ++lane) row.cells.push_back(cell_of(exchange, lane));
  return row;
}

}  // namespace

const LineExchanges* telling_exchanges(const Recording& recording, const std::string& file, int line) {
  const LineExchanges* found = nullptr;
  for (const LineExchanges& here : recording.exchanges)
    if (line == 0 || (here.where.line == line && here.where.file == file))
      if (!found || here.first.size() > found->first.size()) found = &here;
  return found;
}

Picture exchanges_picture(const LineExchanges& line) {
  Picture picture{"lanes",
                  fmt::format("line {}: which lane gets whose value; block ({}, {}, {}), warp {}",
                              line.where.line, line.block.x, line.block.y, line.block.z, line.warp),
                  {},
                  {},
                  {}};
  Cells cells{.corner = "lane", .marks_every = kMarksEvery};
  for (std::size_t lane = 0; lane < kRecordedLanes; lane += kMarksEvery)
    cells.marks.push_back(std::to_string(lane));
  for (std::size_t i = 0; i < line.first.size(); ++i) cells.rows.push_back(row_of(line.first[i], i + 1));
  picture.legend = {{"0-9 a-v", Tone::kGood, "the lane whose value this one gets; pale: its own"},
                    {".", Tone::kFaint, "lanes that take no part"}};
  picture.body = std::move(cells);
  return picture;
}

}  // namespace cudalab::report
