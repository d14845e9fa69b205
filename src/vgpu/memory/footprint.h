// Computes the footprint of a warp's access pattern: spans of granules in memory, and the lane that touches
// each granule. A granule is the unit that the race checks watch: the narrowest access of a program, 1, 2 or
// 4 bytes.
#pragma once

#include <cstdint>
#include <vector>

namespace cudalab::vgpu {

struct Pattern;

// Lane numbers are stored shifted, at their position in an access record (shadow.h).
inline constexpr int kLaneShift = 22;

// How the lanes of adjacent granules follow each other: each touches 1 << repeat_shift granules, and the next
// one's number is larger by `step`.
struct LaneRun {
  bool is_regular = false;
  std::int8_t step = 0;
  std::uint8_t repeat_shift = 0;
};

struct Footprint {
  struct Span {
    std::int64_t first;  // in granules, relative to the first active lane's
    std::uint32_t count;
    std::uint32_t lanes;  // index of its first granule's lane in `lane` and `other`
    bool is_shared;       // several lanes touch it; `other` holds a second lane
    LaneRun run{};        // unless granules are listed
  };
  std::vector<Span> spans;
  std::vector<std::uint32_t> lane, other;  // << kLaneShift; equal if only one lane touches the granule
  std::vector<std::int32_t> granule;  // like `lane`, if the spans are many and close together; else empty
  bool overlaps = false;              // two lanes touch one granule
};

LaneRun run_of_lanes(const std::uint32_t* lanes, std::uint32_t count);  // lanes << kLaneShift

// `bytes` per lane, at least the 1 << granule_shift bytes of a granule.
void make_footprint(Footprint& footprint, const Pattern& pattern, int bytes, int granule_shift);

}  // namespace cudalab::vgpu
