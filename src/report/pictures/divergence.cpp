// Turns the steps of a warp into rows of lanes.
#include "report/pictures/divergence.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>
#include <string>

#include "core/text.h"
#include "report/text/units.h"

namespace cudalab::report {
namespace {

constexpr std::size_t kMostRows = 40, kLaneMarks = 4;

bool is_part(const PathStep& step) { return step.lanes != step.alive; }

std::size_t parts_of(const WarpPaths& warp, const std::string& file, int line) {
  return static_cast<std::size_t>(std::ranges::count_if(warp.steps, [&](const PathStep& step) {
    return is_part(step) && (line == 0 || (step.where.line == line && step.where.file == file));
  }));
}

// One colour a line of the source.
using Colours = std::map<int, Tone>;
Tone colour_of(const PathStep& step, Colours& colours) {
  return colours.try_emplace(step.where.line, tone_of_number(colours.size())).first->second;
}

CellRow row_of(const PathStep& step, Tone tone) {
  CellRow row{step.where.line > 0 ? fmt::format("line {}", step.where.line) : "start", {}, ""};
  for (std::size_t lane = 0; lane < kRecordedLanes; ++lane) {
    const bool runs = step.lanes >> lane & 1, waits = !runs && (step.alive >> lane & 1);
    row.cells.push_back(runs    ? Cell{kLaneGlyphs[lane], tone, static_cast<int>(lane)}
                        : waits ? Cell{'.', Tone::kFaint}
                                : Cell{' ', Tone::kPlain});
  }
  if (step.end > step.begin) row.note = counted(static_cast<double>(step.end - step.begin), "instruction");
  return row;
}

std::string caption_of(const WarpPaths& warp) {
  double busy = 0, all = 0;
  for (const PathStep& step : warp.steps) {
    const auto length = static_cast<double>(step.end > step.begin ? step.end - step.begin : 0);
    busy += length * std::popcount(step.lanes);
    all += length * kRecordedLanes;
  }
  return fmt::format(
      "From above downwards, in the order in which the warp ran: {} of its lanes worked on average.",
      percent(all > 0 ? 100 * busy / all : 0));
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
                  fmt::format("where the lanes go: block ({}, {}, {}), warp {}", warp.block.x, warp.block.y,
                              warp.block.z, warp.warp),
                  {},
                  {},
                  {}};
  Cells cells{.corner = "lane", .marks_every = kLaneMarks};
  for (std::size_t lane = 0; lane < kRecordedLanes; lane += kLaneMarks)
    cells.marks.push_back(std::to_string(lane));
  Colours colours;
  const std::size_t shown = std::min(warp.steps.size(), kMostRows);
  for (std::size_t i = 0; i < shown; ++i)
    cells.rows.push_back(row_of(warp.steps[i], colour_of(warp.steps[i], colours)));
  picture.caption = {caption_of(warp)};
  if (shown < warp.steps.size())
    picture.caption.push_back(fmt::format("The first {} of {} steps are shown.", shown, warp.steps.size()));
  picture.legend = {{"0-9 a-v", Tone::kFirst, "lanes that go on, from this line of the source on"},
                    {".", Tone::kFaint, "lanes that wait"}};
  picture.body = std::move(cells);
  return picture;
}

}  // namespace cudalab::report
