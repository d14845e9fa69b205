// One warp-wide access to memory, as the checks see it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "vgpu/block.h"
#include "vgpu/checks/shadow.h"

namespace cudalab::vgpu {

struct ObservedAccess {
  const Inst* inst;
  Warp* warp;
  const SiteInfo* info;
  const Pattern* pattern;
  const Footprint* footprint;
  AccessMode mode;
  std::uint64_t base;     // generic address of the first active lane
  const std::byte* host;  // its memory
  int granule_shift;
  std::uint32_t record;  // shadow.h; the lane is added

  bool reads() const { return mode != AccessMode::kWrite; }
  bool writes() const { return mode != AccessMode::kRead; }
  bool is_atomic() const { return (record & kAtomic) != 0; }
  bool synchronises() const { return (record & (kAtomic | kStrong)) != 0; }
  std::uint32_t line() const { return record & kLineMask; }
  std::size_t bytes(const Footprint::Span& span) const { return std::size_t{span.count} << granule_shift; }
  std::int64_t offset(const Footprint::Span& span) const {
    return span.first * (std::int64_t{1} << granule_shift);
  }
};

// What the accessing lane of a granule has in its registers for it, of a store with a known shape; else
// nullptr. `granule` is relative to the first active lane's.
const std::byte* stored_value(const ObservedAccess& access, int lane, std::int64_t granule);

// Whether the store of `lane` leaves the granule as it is.
bool stores_what_is_there(const ObservedAccess& access, int lane, std::int64_t granule);

std::string_view verb_of(const ObservedAccess& access);  // "reads", "writes", "updates atomically"
std::string_view past_verb_of(bool was_write, std::uint32_t record);  // "read", "wrote", "updated atomically"

}  // namespace cudalab::vgpu
