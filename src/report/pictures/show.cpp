// The table of all kinds of pictures: how each is made, and what a result needs for it.
#include "report/pictures/show.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <optional>
#include <utility>

#include "core/measurement.h"
#include "messages/report.h"
#include "report/pictures/builders.h"
#include "report/text/program_report.h"

namespace cudalab::report {
namespace {

using lab::Row;
using Gallery = std::vector<ShownPicture>;

struct Wanted {
  int line;
  const lab::Result& result;
  const ReadSource& read;
};

// ---- requests ------------------------------------------------------------------------------------------

// Ordered by excess transactions, then by transactions. Among equal ones, the request with the larger stride
// shows more.
std::array<double, 3> cost_of(const Row& row, const LineRequests& line) {
  std::array<double, 3> cost{};
  for (const LineAccess& access : row.accesses) {
    if (!(access.where == line.where) || access.space != line.space || access.kind != line.kind) continue;
    const auto transactions = static_cast<double>(access.transactions);
    cost[0] += std::max(0.0, transactions - static_cast<double>(access.fewest_transactions));
    cost[1] += transactions;
    cost[2] = std::max(cost[2], std::fabs(static_cast<double>(access.lane_stride_bytes.value_or(0))));
  }
  return cost;
}

// For a given line, all its accesses in that memory, the most expensive first; else the most telling line.
std::vector<Picture> pictures_in(const Row& row, MemorySpace space, int line) {
  if (!row.recording) return {};
  std::vector<const LineRequests*> chosen;
  for (const LineRequests& here : row.recording->lines)
    if (here.space == space && here.where.line == line && !here.first.empty()) chosen.push_back(&here);
  std::ranges::stable_sort(chosen, std::ranges::greater{},
                           [&](const LineRequests* here) { return cost_of(row, *here); });
  if (const LineRequests* telling = line == 0 ? telling_line(row, space, 0) : nullptr) chosen = {telling};
  std::vector<Picture> pictures;
  for (const LineRequests* here : chosen) pictures.push_back(request_picture(*here, telling_request(*here)));
  return pictures;
}

std::vector<Picture> sectors_of(const Row& row, const Wanted& wanted) {
  auto pictures = pictures_in(row, MemorySpace::kGlobal, wanted.line);
  return pictures.empty() ? pictures_in(row, MemorySpace::kLocal, wanted.line) : pictures;
}

std::vector<Picture> banks_of(const Row& row, const Wanted& wanted) {
  return pictures_in(row, MemorySpace::kShared, wanted.line);
}

// ---- one per row ---------------------------------------------------------------------------------------

std::vector<Picture> one_or_none(std::optional<Picture> picture) {
  std::vector<Picture> pictures;
  if (picture) pictures.push_back(std::move(*picture));
  return pictures;
}

std::vector<Picture> source_of(const Row& row, const Wanted& wanted) {
  if (row.source.empty() || !row.counters) return {};
  return one_or_none(source_picture(row, wanted.read(row)));
}

std::vector<Picture> limits_of(const Row& row, const Wanted&) { return one_or_none(limits_picture(row)); }
std::vector<Picture> occupancy_of(const Row& row, const Wanted&) {
  return one_or_none(occupancy_picture(row));
}
std::vector<Picture> matrices_of(const Row& row, const Wanted&) { return matrix_pictures(row); }

std::vector<Picture> divergence_of(const Row& row, const Wanted& wanted) {
  if (!row.recording) return {};
  const WarpPaths* warp = telling_warp(*row.recording, row.source, wanted.line);
  return warp ? std::vector{divergence_picture(*warp)} : std::vector<Picture>();
}

std::vector<Picture> exchanges_of(const Row& row, const Wanted& wanted) {
  if (!row.recording) return {};
  std::vector<Picture> pictures;
  for (const LineExchanges* line : telling_exchanges(*row.recording, row.source, wanted.line))
    pictures.push_back(exchanges_picture(*line));
  return pictures;
}

template <std::vector<Picture> (*kOfRow)(const Row&, const Wanted&)>
Gallery each_row(const Wanted& wanted) {
  Gallery shown;
  for (const Row& row : wanted.result.rows)
    for (Picture& picture : kOfRow(row, wanted)) shown.push_back({row.name, std::move(picture)});
  return shown;
}

// ---- for the whole result -----------------------------------------------------------------------------

Gallery one(std::optional<Picture> picture) {
  Gallery shown;
  if (picture) shown.push_back({"", std::move(*picture)});
  return shown;
}

Gallery roofline(const Wanted& wanted) { return one(roofline_picture(wanted.result)); }
Gallery stages(const Wanted& wanted) { return one(stages_picture(wanted.result)); }

template <bool kIsOfSizes>
Gallery curves(const Wanted& wanted) {
  Gallery shown;
  for (const lab::Figure& figure : wanted.result.figures)
    if (figure.is_of_sizes == kIsOfSizes)
      std::ranges::move(one(curve_picture(figure)), std::back_inserter(shown));
  return shown;
}

Gallery timelines(const Wanted& wanted) {
  Gallery shown;
  for (const lab::Figure& figure : wanted.result.figures)
    std::ranges::move(one(timeline_picture(figure)), std::back_inserter(shown));
  for (const Row& row : wanted.result.rows) {
    if (!row.program) continue;
    if (auto picture = timeline_picture(row.program->log)) shown.push_back({row.name, std::move(*picture)});
  }
  return shown;
}

// ---- the table -----------------------------------------------------------------------------------------

struct KindRow {
  PictureKind kind;
  Gallery (*make)(const Wanted&);
  Message (*lacks)();  // "no kernel uses shared memory"
};

constexpr bool kWithLine = true, kRecorded = true;

const std::vector<KindRow>& kind_rows() {
  static const std::vector<KindRow> rows{
      {{"sectors", "a request of a warp: the sectors that it moves, and the bytes that it uses", kWithLine,
        kRecorded},
       each_row<sectors_of>,
       msg::no_picture_without_global_memory},
      {{"banks", "a request of a warp on the banks of shared memory, wavefront by wavefront", kWithLine,
        kRecorded},
       each_row<banks_of>,
       msg::no_picture_without_shared_memory},
      {{"source", "the kernel's source with the cost of each line"},
       each_row<source_of>,
       msg::no_picture_without_counters},
      {{"limits", "what limits the predicted time"}, each_row<limits_of>, msg::no_picture_without_prediction},
      {{"roofline", "all stages under the ceilings of the card"}, roofline, msg::no_picture_without_roofline},
      {{"occupancy", "a multiprocessor filled with blocks"},
       each_row<occupancy_of>,
       msg::no_picture_without_prediction},
      {{"curve", "curves of a lab that sweeps: offsets, strides, errors"},
       curves<false>,
       msg::no_picture_without_sweep},
      {{"time", "a lab's time against its size, on logarithmic axes"},
       curves<true>,
       msg::no_picture_without_sizes},
      {{"stages", "the stages' times, predicted and recorded"}, stages, msg::no_picture_without_times},
      {{"timeline", "what ran when on which stream"}, timelines, msg::no_picture_without_streams},
      {{"matrix", "the output with its wrong elements marked"},
       each_row<matrices_of>,
       msg::no_picture_without_wrong_elements},
      {{"divergence", "which lanes of a warp go where, over time", kWithLine, kRecorded},
       each_row<divergence_of>,
       msg::no_picture_without_divergence},
      {{"lanes", "what the lanes of a warp tell each other: shuffles, votes, matches, reductions", kWithLine,
        kRecorded},
       each_row<exchanges_of>,
       msg::no_picture_without_exchanges},
  };
  return rows;
}

// Finds a GPU model by the name that a report shows.
const vgpu::Card* card_called(const std::string& name) {
  const auto found = std::ranges::find(vgpu::cards(), name, &vgpu::Card::name);
  return found == vgpu::cards().end() ? nullptr : &*found;
}

const KindRow* kind_named(std::string_view name) {
  for (const KindRow& row : kind_rows())
    if (row.kind.name == name) return &row;
  return nullptr;
}

}  // namespace

const std::vector<PictureKind>& picture_kinds() {
  static const std::vector<PictureKind> kinds = [] {
    std::vector<PictureKind> made;
    for (const KindRow& row : kind_rows()) made.push_back(row.kind);
    return made;
  }();
  return kinds;
}

lab::Result pictured_result(const device::ProgramLog& log) {
  lab::Result result = result_of(log);
  if (const vgpu::Card* card = log.start ? card_called(log.start->card) : nullptr) result.card = *card;
  for (std::size_t i = 0; i < log.kernels.size(); ++i) {
    Row& row = result.rows[i];
    row.prediction = log.kernels[i].result.prediction;
    if (!row.executions.empty()) row.source = row.executions.front().where.file;
  }
  if (log.timeline.empty() || result.rows.empty()) return result;
  result.rows.front().program.emplace().log = log;
  return result;
}

std::vector<ShownPicture> pictures_of(std::string_view kind, int line, const lab::Result& result,
                                      const ReadSource& read) {
  const KindRow* row = kind_named(kind);
  return row ? row->make({line, result, read}) : Gallery();
}

Message why_no_picture(std::string_view kind, int line, const lab::Result& result) {
  const KindRow* row = kind_named(kind);
  const Code picture{std::string(kind)};
  if (!row) return msg::no_picture(picture, msg::no_picture_without_drawer());
  if (row->kind.needs_record && result.evidence == "gpu")
    return msg::no_picture(picture, msg::no_picture_without_recording());
  if (line > 0) return msg::no_picture(picture, msg::no_picture_of_line(row->lacks(), line));
  return msg::no_picture(picture, row->lacks());
}

double waste_of(const Row& row, const LineRequests& line) { return cost_of(row, line)[0]; }

const LineRequests* telling_line(const Row& row, MemorySpace space, int line) {
  const LineRequests* found = nullptr;
  if (!row.recording) return found;
  for (const LineRequests& here : row.recording->lines) {
    if (here.space != space || here.first.empty()) continue;
    if (line != 0 && here.where.line != line) continue;
    if (!found || cost_of(row, here) > cost_of(row, *found)) found = &here;
  }
  return found;
}

}  // namespace cudalab::report
