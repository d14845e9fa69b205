#include "vgpu/memory/footprint.h"

#include <bit>

#include "vgpu/warp.h"

namespace cudalab::vgpu {
namespace {

// Writes spans and lanes into arrays that have space for the granules of all lanes.
class Builder {
 public:
  Builder(Footprint& footprint, std::uint32_t count, std::size_t lanes)
      : footprint_(footprint), count_(count) {
    footprint.spans.clear();
    footprint.lane.resize(count * lanes);
    footprint.other.resize(count * lanes);
  }

  void add(int lane, std::int64_t granule) {
    const auto who = static_cast<std::uint32_t>(lane) << kLaneShift;
    if (!footprint_.spans.empty()) {
      Footprint::Span& span = footprint_.spans.back();
      if (granule == span.first && span.count == count_) return share(span, who);
      const bool follows = granule == span.first + static_cast<std::int64_t>(span.count) && !span.is_shared;
      if (follows) {
        span.count += count_;
        return fill(who);
      }
      close();
    }
    footprint_.spans.push_back({granule, count_, used_, false, {}});
    fill(who);
  }

  void close() {
    if (footprint_.spans.empty()) return;
    const Footprint::Span& span = footprint_.spans.back();
    const bool is_one_lane = span.count == count_ && !span.is_shared;  // needs no search
    if (!is_one_lane) join_earlier();
  }

  void finish() {
    close();
    footprint_.lane.resize(used_);
    footprint_.other.resize(used_);
  }

 private:
  void fill(std::uint32_t who) {
    for (std::uint32_t g = 0; g < count_; ++g) footprint_.lane[used_ + g] = footprint_.other[used_ + g] = who;
    used_ += count_;
  }

  void share(Footprint::Span& span, std::uint32_t who) {
    span.is_shared = true;
    for (std::uint32_t g = 0; g < span.count; ++g) footprint_.other[span.lanes + g] = who;
  }

  // If the last span equals an earlier one, as when half-warps read the same row, it becomes that span's
  // second reader.
  void join_earlier() {
    const Footprint::Span last = footprint_.spans.back();
    for (std::size_t i = 0; i + 1 < footprint_.spans.size(); ++i) {
      Footprint::Span& span = footprint_.spans[i];
      if (span.first != last.first || span.count != last.count) continue;
      span.is_shared = true;
      for (std::uint32_t g = 0; g < span.count; ++g)
        footprint_.other[span.lanes + g] = footprint_.lane[last.lanes + g];
      footprint_.spans.pop_back();
      used_ = last.lanes;
      return;
    }
  }

  Footprint& footprint_;
  std::uint32_t count_, used_ = 0;
};

// Lists single granules, because one loop over them costs less than many short spans.
void list_granules(Footprint& footprint) {
  constexpr std::size_t kShort = 8;  // average granules per span
  constexpr std::int64_t kFar = 1 << 30;
  footprint.granule.clear();
  if (footprint.spans.size() == 1 || footprint.lane.size() >= kShort * footprint.spans.size()) return;
  footprint.granule.resize(footprint.lane.size());
  for (const Footprint::Span& span : footprint.spans) {
    if (span.first < -kFar || span.first > kFar) return footprint.granule.clear();
    for (std::uint32_t g = 0; g < span.count; ++g)
      footprint.granule[span.lanes + g] = static_cast<std::int32_t>(span.first + g);
  }
}

}  // namespace

LaneRun run_of_lanes(const std::uint32_t* lanes, std::uint32_t count) {
  std::uint32_t repeat = 1;
  while (repeat < count && lanes[repeat] == lanes[0]) ++repeat;
  if (repeat == count) return {.is_regular = true};
  if (!std::has_single_bit(repeat)) return {};
  const int shift = std::countr_zero(repeat);
  const auto number = [&](std::uint32_t g) { return static_cast<int>(lanes[g] >> kLaneShift); };
  const int step = number(repeat) - number(0);
  for (std::uint32_t g = repeat; g < count; ++g)
    if (number(g) != number(0) + step * static_cast<int>(g >> shift)) return {};
  return {true, static_cast<std::int8_t>(step), static_cast<std::uint8_t>(shift)};
}

void make_footprint(Footprint& footprint, const Pattern& pattern, int bytes, int granule_shift) {
  Builder builder(footprint, static_cast<std::uint32_t>(bytes) >> granule_shift,
                  static_cast<std::size_t>(std::popcount(pattern.active)));
  for (std::uint32_t left = pattern.active; left; left &= left - 1) {
    const int lane = std::countr_zero(left);
    builder.add(lane, pattern.offset[lane] >> granule_shift);
  }
  builder.finish();
  list_granules(footprint);
  if (footprint.granule.empty())
    for (Footprint::Span& span : footprint.spans)
      span.run = run_of_lanes(footprint.lane.data() + span.lanes, span.count);
  footprint.overlaps =
      pattern.distinct_bytes < static_cast<std::uint32_t>(std::popcount(pattern.active) * bytes);
}

}  // namespace cudalab::vgpu
