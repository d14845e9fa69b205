// Draws one request of a warp on the sectors or shared memory banks that it touches, in full or in a few
// rows.
#include <algorithm>
#include <bit>
#include <map>
#include <set>

#include "messages/report.h"
#include "report/pictures/builders.h"
#include "report/text/values.h"
#include "vgpu/counters/access_costs.h"

namespace cudalab::report {
namespace {

Picture picture_of(const vgpu::TracedAccess& access) {
  const LineRequests line{.space = access.space, .kind = access.kind};
  const WarpRequest request{
      .lanes = access.lanes, .address = access.address, .bytes_per_lane = static_cast<int>(access.bytes)};
  return request_picture(line, request);
}

std::string glyphs_of(const CellRow& row, std::size_t group) {
  std::string text;
  for (std::size_t i = 0; i < row.cells.size(); ++i) {
    if (group > 0 && i > 0 && i % group == 0) text += '|';
    text += row.cells[i].glyph;
  }
  return text;
}

}  // namespace

std::string heading_of_request(const vgpu::TracedAccess& access, const Wording& wording) {
  return wording.say(access.space == MemorySpace::kShared ? msg::screen_banks() : msg::screen_sectors());
}

std::vector<std::string> request_rows(const vgpu::TracedAccess& access) {
  const bool is_drawn = access.space == MemorySpace::kShared || access.space == MemorySpace::kGlobal ||
                        access.space == MemorySpace::kLocal;
  if (!is_drawn) return {};
  const Picture picture = picture_of(access);
  const Cells& cells = std::get<Cells>(picture.body);
  std::vector<std::string> rows;
  for (const CellRow& row : cells.rows) rows.push_back(glyphs_of(row, cells.group));
  return rows;
}

namespace {

constexpr std::uint64_t kSectorBytes = vgpu::kSectorBytes, kCardWordBytes = vgpu::kBankBytes;
constexpr std::size_t kBankMarks = 4;
constexpr int kWidestLane = 16;  // the largest access of one lane, in bytes

int bytes_of(const WarpRequest& request) { return std::clamp(request.bytes_per_lane, 1, kWidestLane); }

template <class Visit>
void for_each_lane(const WarpRequest& request, Visit visit) {
  for (std::size_t lane = 0; lane < kRecordedLanes; ++lane)
    if (request.has(lane)) visit(lane);
}

Message title_of(const LineRequests& line, const WarpRequest& request) {
  return msg::picture_request(title_of_access(line, request), place_of(request));
}

// ---- sectors -------------------------------------------------------------------------------------------

// The address in the GPU's local memory, which interleaves threads: the same word of a warp's 32 threads is
// contiguous.
std::uint64_t address_on_card(const LineRequests& line, const WarpRequest& request, std::size_t lane,
                              std::uint64_t byte) {
  const std::uint64_t address = request.address[lane] + byte;
  if (line.space != MemorySpace::kLocal) return address;
  return (address / kCardWordBytes * kRecordedLanes + lane) * kCardWordBytes + address % kCardWordBytes;
}

// Sectors in address order, with the lanes that access each byte.
using Sector = std::array<std::vector<std::size_t>, kSectorBytes>;
using Sectors = std::map<std::uint64_t, Sector>;

Sectors sectors_of(const LineRequests& line, const WarpRequest& request) {
  Sectors sectors;
  for_each_lane(request, [&](std::size_t lane) {
    for (int byte = 0; byte < bytes_of(request); ++byte) {
      const std::uint64_t at = address_on_card(line, request, lane, static_cast<std::uint64_t>(byte));
      sectors[at / kSectorBytes][at % kSectorBytes].push_back(lane);
    }
  });
  return sectors;
}

Cell cell_of(const std::set<std::size_t>& lanes) {
  if (lanes.empty()) return {'.', Tone::kBad, -1, false};
  const std::size_t first = *lanes.begin();
  return {lanes.size() > 1 ? '+' : kLaneGlyphs[first], Tone::kGood, static_cast<int>(first),
          lanes.size() > 1};
}

void add_sector(CellRow& row, const Sector& sector, std::size_t bytes_a_cell, std::set<std::size_t>& lanes) {
  for (std::size_t byte = 0; byte < kSectorBytes; byte += bytes_a_cell) {
    std::set<std::size_t> here;
    for (std::size_t i = byte; i < byte + bytes_a_cell; ++i) here.insert(sector[i].begin(), sector[i].end());
    row.cells.push_back(cell_of(here));
    lanes.insert(here.begin(), here.end());
  }
}

Message label_of(const std::set<std::size_t>& lanes) {
  if (lanes.size() == 1) return msg::label_lane(*lanes.begin());
  return msg::label_lanes(*lanes.begin(), *lanes.rbegin());
}

Cells cells_of(const Sectors& sectors, int bytes_a_lane) {
  const auto bytes_a_cell = std::min<std::size_t>(std::bit_floor(static_cast<unsigned>(bytes_a_lane)), 4);
  Cells cells{.group = kSectorBytes / bytes_a_cell};
  std::set<std::size_t> lanes;
  for (auto at = sectors.begin(); at != sectors.end();) {
    CellRow& row = cells.rows.emplace_back();
    lanes.clear();
    row.note = msg::label_distance(
        worded_distance(static_cast<double>((at->first - sectors.begin()->first) * kSectorBytes)));
    for (std::size_t i = 0; i < bytes_a_cell && at != sectors.end(); ++i, ++at)
      add_sector(row, at->second, bytes_a_cell, lanes);
    row.label = label_of(lanes);
  }
  return cells;
}

std::size_t used_bytes(const Sectors& sectors) {
  std::size_t used = 0;
  for (const auto& [number, sector] : sectors)
    used += static_cast<std::size_t>(
        std::ranges::count_if(sector, [](const auto& lanes) { return !lanes.empty(); }));
  return used;
}

std::vector<Message> caption_of(const Sectors& sectors, const WarpRequest& request) {
  const std::size_t moved = sectors.size() * kSectorBytes, used = used_bytes(sectors);
  std::vector<Message> caption{msg::picture_sectors(
      sectors.size(), kSectorBytes, moved, used,
      percent(100.0 * static_cast<double>(used) / static_cast<double>(std::max<std::size_t>(moved, 1))))};
  if (request.fewest > 0 && request.fewest < sectors.size())
    caption.push_back(msg::picture_sectors_would_do(request.fewest));
  return caption;
}

// ---- banks ---------------------------------------------------------------------------------------------

vgpu::WarpAccess access_of(const WarpRequest& request) {
  return {request.address, request.lanes, bytes_of(request)};
}

Message label_of(const vgpu::BankPass& pass) {
  const bool is_whole_warp = pass.first_lane == 0 && pass.last_lane == kRecordedLanes - 1;
  return is_whole_warp ? msg::label_pass(pass.number)
                       : msg::label_lanes_and_pass(pass.first_lane, pass.last_lane, pass.number);
}

// The first wavefront is the minimum of any request; all others are waiting time.
CellRow row_of(const vgpu::BankPass& pass) {
  CellRow row{label_of(pass), {}, {}};
  for (const std::vector<std::size_t>& lanes : pass.lanes) {
    if (lanes.empty()) {
      row.cells.push_back({'.', Tone::kFaint, -1, false});
      continue;
    }
    const Tone tone = pass.number == 1 ? Tone::kGood : Tone::kBad;
    row.cells.push_back(
        {kLaneGlyphs[lanes.front()], tone, static_cast<int>(lanes.front()), lanes.size() > 1});
  }
  return row;
}

std::vector<Message> caption_of(const std::vector<vgpu::BankPass>& passes, const WarpRequest& request) {
  const int lanes = std::popcount(request.lanes);
  const auto fewest = static_cast<std::size_t>(
      std::ranges::count_if(passes, [](const vgpu::BankPass& pass) { return pass.number == 1; }));
  return {passes.size() == fewest ? msg::picture_passes(passes.size(), lanes)
                                  : msg::picture_passes_wait(passes.size(), lanes, fewest)};
}

bool is_shared_by_lanes(const std::vector<CellRow>& rows) {
  return std::ranges::any_of(rows, [](const CellRow& row) {
    return std::ranges::any_of(row.cells, [](const Cell& cell) { return cell.several; });
  });
}

bool has_tone(const std::vector<CellRow>& rows, Tone tone) {
  return std::ranges::any_of(rows, [tone](const CellRow& row) {
    return std::ranges::any_of(row.cells, [tone](const Cell& cell) { return cell.tone == tone; });
  });
}

}  // namespace

Message place_of(const WarpRequest& request) {
  return msg::warp_of_block(BlockIndex{request.block}, request.warp);
}

Message title_of_access(const LineRequests& line, const WarpRequest& request) {
  const Message kind = worded(line.kind), memory = worded(line.space);
  const int bytes = bytes_of(request);
  return line.where.file.empty() ? msg::picture_access(kind, memory, bytes)
                                 : msg::picture_access_of_line(line.where.line, kind, memory, bytes);
}

const WarpRequest& telling_request(const LineRequests& line) {
  return line.worst ? *line.worst : line.first.front();
}

Picture sectors_picture(const LineRequests& line, const WarpRequest& request) {
  const Sectors sectors = sectors_of(line, request);
  Cells cells = cells_of(sectors, bytes_of(request));
  Picture picture{"sectors", title_of(line, request), caption_of(sectors, request), {}, {}};
  picture.legend = {{"0-9 a-v", Tone::kGood, msg::legend_bytes_of_lanes()}};
  if (is_shared_by_lanes(cells.rows))
    picture.legend.push_back({"+", Tone::kGood, msg::legend_wanted_by_several()});
  if (has_tone(cells.rows, Tone::kBad))
    picture.legend.push_back({".", Tone::kBad, msg::legend_moved_in_vain()});
  picture.body = std::move(cells);
  return picture;
}

Picture banks_picture(const LineRequests& line, const WarpRequest& request) {
  const vgpu::SharedAccess kind =
      line.kind == AccessKind::kLoad ? vgpu::SharedAccess::kLoad : vgpu::SharedAccess::kStore;
  const std::vector<vgpu::BankPass> passes = vgpu::bank_passes(access_of(request), kind);
  Cells cells{.corner = msg::corner_bank(), .marks_every = kBankMarks, .is_roomy = true};
  for (int bank = 0; bank < vgpu::kBanks; bank += static_cast<int>(kBankMarks))
    cells.marks.push_back(std::to_string(bank));
  for (const vgpu::BankPass& pass : passes) cells.rows.push_back(row_of(pass));
  Picture picture{"banks", title_of(line, request), caption_of(passes, request), {}, {}};
  picture.legend = {{"0-9 a-v", Tone::kGood, msg::legend_banks_of_lanes()}};
  if (is_shared_by_lanes(cells.rows)) picture.legend.push_back({"+", Tone::kGood, msg::legend_same_word()});
  if (has_tone(cells.rows, Tone::kBad)) picture.legend.push_back({"a", Tone::kBad, msg::legend_later_pass()});
  picture.body = std::move(cells);
  return picture;
}

Picture request_picture(const LineRequests& line, const WarpRequest& request) {
  return line.space == MemorySpace::kShared ? banks_picture(line, request) : sectors_picture(line, request);
}

std::optional<Picture> regular_picture(const LineAccess& access) {
  if (!access.lane_stride_bytes || access.requests == 0) return std::nullopt;
  const bool is_whole = access.lanes == access.requests * kRecordedLanes;
  if (!is_whole || access.bytes_per_lane < 1 || access.bytes_per_lane > kWidestLane) return std::nullopt;
  // Leaves space for lanes with descending addresses.
  constexpr std::uint64_t kSomewhere = std::uint64_t{1} << 40;
  WarpRequest request;
  request.lanes = ~0u;
  request.bytes_per_lane = access.bytes_per_lane;
  request.fewest = static_cast<std::uint32_t>(access.fewest_transactions / access.requests);
  for (std::size_t lane = 0; lane < kRecordedLanes; ++lane)
    request.address[lane] = kSomewhere + lane * static_cast<std::uint64_t>(*access.lane_stride_bytes);
  const LineRequests line{access.where, access.space, access.kind, {request}, request};
  const std::size_t cost = access.space == MemorySpace::kShared
                               ? vgpu::bank_passes(access_of(request), access.kind == AccessKind::kLoad
                                                                           ? vgpu::SharedAccess::kLoad
                                                                           : vgpu::SharedAccess::kStore)
                                     .size()
                               : sectors_of(line, request).size();
  if (cost * access.requests != access.transactions) return std::nullopt;
  Picture picture = request_picture(line, request);
  picture.title = title_of_access(line, request);  // without a block
  return picture;
}

}  // namespace cudalab::report
