#include "vgpu/checks/observed_access.h"

#include <cstring>

namespace cudalab::vgpu {

std::uint64_t ObservedAccess::element_address(int lane, std::int64_t granule) const {
  const std::int64_t first = pattern->offset[lane], at = granule * (std::int64_t{1} << granule_shift);
  const bool is_inside = at >= first && at < first + info->bytes_per_lane;
  return base + static_cast<std::uint64_t>(is_inside ? at - (at - first) % element_bytes() : at);
}

const std::byte* stored_value(const ObservedAccess& access, int lane, std::int64_t granule) {
  if (access.mode != AccessMode::kWrite || access.info->vector == 0) return nullptr;
  const std::int64_t at = granule * (std::int64_t{1} << access.granule_shift) - access.pattern->offset[lane];
  const int element_bytes = access.info->bytes_per_lane / access.info->vector;
  if (at < 0 || at >= access.info->bytes_per_lane) return nullptr;
  const Slot slot = access.info->vector == 1 ? access.inst->d : access.inst->slots[at / element_bytes];
  return lanes_at<const std::byte>(*access.warp, slot) + lane * element_bytes + at % element_bytes;
}

bool stores_what_is_there(const ObservedAccess& access, int lane, std::int64_t granule) {
  const std::byte* value = stored_value(access, lane, granule);
  const std::size_t bytes = std::size_t{1} << access.granule_shift;
  return value && std::memcmp(value, access.host + granule * static_cast<std::int64_t>(bytes), bytes) == 0;
}

std::string both_write_text(const std::string& element, std::uint64_t address, const std::string& thread,
                            const std::string& other) {
  return fmt::format("writes {} ({:#x}) in {}, and so does {}: one of the two values is lost", element,
                     address, thread, other);
}

std::string_view verb_of(const ObservedAccess& access) { return verb_of(access.mode); }

std::string_view past_verb_of(bool was_write, std::uint32_t record) {
  if (was_write && (record & kAtomic)) return "updated";
  return was_write ? "wrote" : "read";
}

}  // namespace cudalab::vgpu
