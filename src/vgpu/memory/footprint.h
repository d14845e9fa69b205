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

struct Footprint {
  struct Span {
    std::int64_t first;  // in granules, relative to the first active lane's
    std::uint32_t count;
    std::uint32_t lanes;  // index of its first granule's lane in `lane` and `other`
    bool is_shared;       // several lanes touch it; `other` holds a second lane
  };
  std::vector<Span> spans;
  std::vector<std::uint32_t> lane, other;  // << kLaneShift; equal if only one lane touches the granule
  std::vector<std::int32_t> granule;  // like `lane`, if the spans are many and close together; else empty
  bool overlaps = false;              // two lanes touch one granule
};

// `bytes` per lane, at least the 1 << granule_shift bytes of a granule.
void make_footprint(Footprint& footprint, const Pattern& pattern, int bytes, int granule_shift);

}  // namespace cudalab::vgpu
