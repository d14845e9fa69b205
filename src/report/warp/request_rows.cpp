#include "report/warp/request_rows.h"

#include "report/pictures/requests.h"

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
  if (access.space == MemorySpace::kShared) return wording.say<"0       8       16      24 banks">();
  return wording.say<"sectors of 32 bytes; .: in vain">();
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

}  // namespace cudalab::report
