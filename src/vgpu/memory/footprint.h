// Where a warp's access pattern lies in memory, as spans of granules, and which lane touches each granule.
// A granule is the unit that the race checks watch: the narrowest access of a program, 1, 2 or 4 bytes.
#pragma once

#include <cstdint>
#include <vector>

namespace cudalab::vgpu {

struct Pattern;

// Lanes are kept where a packed access record (shadow.h) has them.
inline constexpr int kLaneShift = 22;

struct Footprint {
  struct Span {
    std::int64_t first;  // granule, relative to the first active lane's
    std::uint32_t count;
    std::uint32_t lanes;  // index of its first granule's lane in `lane` and `other`
    bool is_shared;       // several lanes touch it; `other` holds a second one
  };
  std::vector<Span> spans;
  std::vector<std::uint32_t> lane, other;  // << kLaneShift; equal where only one lane touches the granule
  std::vector<std::int32_t> granule;  // like `lane`, where the spans are many and near each other; else empty
  bool overlaps = false;              // two lanes touch one granule
};

// `bytes` a lane; a granule has 1 << granule_shift bytes, at most as many.
void make_footprint(Footprint& footprint, const Pattern& pattern, int bytes, int granule_shift);

}  // namespace cudalab::vgpu
