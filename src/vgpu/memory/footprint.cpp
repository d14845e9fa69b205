#include "vgpu/memory/footprint.h"

#include <bit>
#include <utility>

#include "vgpu/warp.h"

namespace cudalab::vgpu {
namespace {

void add_granules(Footprint& footprint, int lane, std::uint32_t count) {
  footprint.lane.insert(footprint.lane.end(), count, static_cast<std::uint32_t>(lane) << kLaneShift);
}

// A span that lies exactly where an earlier one does, as when half-warps read the same row, becomes its
// second reader.
bool join_earlier(Footprint& footprint) {
  const Footprint::Span last = footprint.spans.back();
  for (std::size_t i = 0; i + 1 < footprint.spans.size(); ++i) {
    Footprint::Span& span = footprint.spans[i];
    if (span.first != last.first || span.count != last.count) continue;
    span.is_shared = true;
    for (std::uint32_t g = 0; g < span.count; ++g)
      footprint.other[span.lanes + g] = footprint.lane[last.lanes + g];
    footprint.spans.pop_back();
    footprint.lane.resize(last.lanes);
    return true;
  }
  return false;
}

class Builder {
 public:
  Builder(Footprint& footprint, std::uint32_t count) : footprint_(footprint), count_(count) {}

  void add(int lane, std::int64_t granule) {
    if (!footprint_.spans.empty() && is_open_) {
      Footprint::Span& span = footprint_.spans.back();
      if (granule == span.first && span.count == count_) return share(span, lane);
      const bool follows = granule == span.first + static_cast<std::int64_t>(span.count) && !span.is_shared;
      if (follows) {
        span.count += count_;
        return add_granules(footprint_, lane, count_);
      }
      close();
    }
    footprint_.spans.push_back({granule, count_, static_cast<std::uint32_t>(footprint_.lane.size()), false});
    add_granules(footprint_, lane, count_);
    is_open_ = true;
  }

  void close() {
    if (!is_open_) return;
    is_open_ = false;
    footprint_.other.insert(footprint_.other.end(),
                            footprint_.lane.begin() + static_cast<std::ptrdiff_t>(footprint_.other.size()),
                            footprint_.lane.end());
    for (const auto& [at, lane] : shared_) footprint_.other[at] = lane;
    shared_.clear();
    const Footprint::Span& span = footprint_.spans.back();
    const bool is_one_lane = span.count == count_ && !span.is_shared;  // not worth the search
    if (!is_one_lane && join_earlier(footprint_)) footprint_.other.resize(footprint_.lane.size());
  }

 private:
  void share(Footprint::Span& span, int lane) {
    span.is_shared = true;
    for (std::uint32_t g = 0; g < span.count; ++g)
      shared_.push_back({span.lanes + g, static_cast<std::uint32_t>(lane) << kLaneShift});
  }

  Footprint& footprint_;
  std::uint32_t count_;
  bool is_open_ = false;
  std::vector<std::pair<std::size_t, std::uint32_t>> shared_;
};

// For loops over single granules, which cost less than many short spans.
void list_granules(Footprint& footprint) {
  constexpr std::size_t kShort = 8;  // granules of a span, on average
  constexpr std::int64_t kFar = 1 << 30;
  footprint.granule.clear();
  if (footprint.spans.size() == 1 || footprint.lane.size() >= kShort * footprint.spans.size()) return;
  for (const Footprint::Span& span : footprint.spans) {
    if (span.first < -kFar || span.first > kFar) return footprint.granule.clear();
    for (std::uint32_t g = 0; g < span.count; ++g)
      footprint.granule.push_back(static_cast<std::int32_t>(span.first + g));
  }
}

}  // namespace

void make_footprint(Footprint& footprint, const Pattern& pattern, int bytes, int granule_shift) {
  footprint.spans.clear();
  footprint.lane.clear();
  footprint.other.clear();
  Builder builder(footprint, static_cast<std::uint32_t>(bytes) >> granule_shift);
  for (std::uint32_t left = pattern.active; left; left &= left - 1) {
    const int lane = std::countr_zero(left);
    builder.add(lane, pattern.offset[lane] >> granule_shift);
  }
  builder.close();
  list_granules(footprint);
  footprint.overlaps =
      pattern.distinct_bytes < static_cast<std::uint32_t>(std::popcount(pattern.active) * bytes);
}

}  // namespace cudalab::vgpu
