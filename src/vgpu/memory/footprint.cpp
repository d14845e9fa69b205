#include "vgpu/memory/footprint.h"

#include <bit>
#include <utility>

#include "vgpu/warp.h"

namespace cudalab::vgpu {
namespace {

void add_granules(Footprint& footprint, int lane, std::uint32_t count) {
  footprint.lane.insert(footprint.lane.end(), count, static_cast<std::uint32_t>(lane) << kLaneShift);
}

// A run that lies exactly where an earlier one does, as when half-warps read the same row, becomes its second
// reader.
bool join_earlier(Footprint& footprint) {
  const Footprint::Run last = footprint.runs.back();
  for (std::size_t i = 0; i + 1 < footprint.runs.size(); ++i) {
    Footprint::Run& run = footprint.runs[i];
    if (run.first != last.first || run.count != last.count) continue;
    run.is_shared = true;
    for (std::uint32_t g = 0; g < run.count; ++g)
      footprint.other[run.lanes + g] = footprint.lane[last.lanes + g];
    footprint.runs.pop_back();
    footprint.lane.resize(last.lanes);
    return true;
  }
  return false;
}

class Builder {
 public:
  Builder(Footprint& footprint, std::uint32_t count) : footprint_(footprint), count_(count) {}

  void add(int lane, std::int64_t granule) {
    if (!footprint_.runs.empty() && is_open_) {
      Footprint::Run& run = footprint_.runs.back();
      if (granule == run.first && run.count == count_) return share(run, lane);
      const bool follows = granule == run.first + static_cast<std::int64_t>(run.count) && !run.is_shared;
      if (follows) {
        run.count += count_;
        return add_granules(footprint_, lane, count_);
      }
      close();
    }
    footprint_.runs.push_back({granule, count_, static_cast<std::uint32_t>(footprint_.lane.size()), false});
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
    const Footprint::Run& run = footprint_.runs.back();
    const bool is_one_lane = run.count == count_ && !run.is_shared;  // not worth the search
    if (!is_one_lane && join_earlier(footprint_)) footprint_.other.resize(footprint_.lane.size());
  }

 private:
  void share(Footprint::Run& run, int lane) {
    run.is_shared = true;
    for (std::uint32_t g = 0; g < run.count; ++g)
      shared_.push_back({run.lanes + g, static_cast<std::uint32_t>(lane) << kLaneShift});
  }

  Footprint& footprint_;
  std::uint32_t count_;
  bool is_open_ = false;
  std::vector<std::pair<std::size_t, std::uint32_t>> shared_;
};

// For loops over single granules, which cost less than many short runs.
void list_granules(Footprint& footprint) {
  constexpr std::size_t kShort = 8;  // granules of a run, on average
  constexpr std::int64_t kFar = 1 << 30;
  footprint.granule.clear();
  if (footprint.runs.size() == 1 || footprint.lane.size() >= kShort * footprint.runs.size()) return;
  for (const Footprint::Run& run : footprint.runs) {
    if (run.first < -kFar || run.first > kFar) return footprint.granule.clear();
    for (std::uint32_t g = 0; g < run.count; ++g)
      footprint.granule.push_back(static_cast<std::int32_t>(run.first + g));
  }
}

}  // namespace

void make_footprint(Footprint& footprint, const Pattern& pattern, int bytes, int granule_shift) {
  footprint.runs.clear();
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
