#include <algorithm>
#include <bit>
#include <cstring>

#include "messages/vgpu.h"
#include "vgpu/checks/shadow.h"
#include "vgpu/checks/undefined_values.h"

namespace cudalab::vgpu {
namespace {

Message described(const ObservedAccess& access, const Place& place, std::uint64_t address) {
  const Argument element = place.element(access.element_bytes());
  if (address - kSharedWindow < kWindowBytes)
    return msg::read_unwritten_in_block(verb_of(access), element, Address{address});
  if (address - kLocalWindow < kWindowBytes)
    return msg::read_unwritten_by_thread(verb_of(access), element, Address{address});
  return msg::read_unwritten(verb_of(access), element, Address{address});
}

Message advice_for(std::uint64_t address, bool is_update) {
  if (address - kSharedWindow < kWindowBytes)
    return is_update ? msg::advice_set_before_updates() : msg::advice_write_before_reads();
  if (address - kLocalWindow < kWindowBytes) return msg::advice_give_variable_a_value();
  return msg::advice_set_before_launch();
}

}  // namespace

void UninitialisedReads::report(const ObservedAccess& access, int lane, std::int64_t offset) {
  const Launch& launch = *access.warp->launch;
  const std::uint64_t address =
      access.base + static_cast<std::uint64_t>(access.pattern->offset[lane] + offset);
  const Place place = place_of(launch, address);
  log_->add(HazardKind::kUninitialisedRead, access.line(), access.line(), place.identity, [&] {
    Hazard hazard = hazard_at(access.inst, *access.warp, lane, HazardKind::kUninitialisedRead);
    hazard.address = address;
    hazard.buffer = place.name;
    hazard.what = described(access, place, address);
    hazard.fix = advice_for(address, access.is_atomic());
    return hazard;
  });
}

template <class IsWritten>
void UninitialisedReads::check_lanes(const ObservedAccess& access, IsWritten is_written) {
  const int elements = std::max<int>(access.info->vector, 1);
  const int element_bytes = access.info->bytes_per_lane / elements;
  const bool local = access.base - kLocalWindow < kWindowBytes;
  for (std::uint32_t left = access.pattern->active; left; left &= left - 1) {
    const int lane = std::countr_zero(left);
    int unwritten = 0, first = -1;
    bool computed = false;
    for (int element = 0; element < elements; ++element) {
      bool any = false;
      for (int byte = 0; byte < element_bytes; ++byte)
        any = any || is_written(lane, element * element_bytes + byte);
      if (any) continue;
      ++unwritten;
      const bool counts = access.info->computed_elements >> element & 1;
      if (first < 0 || (counts && !computed)) first = element * element_bytes;
      computed = computed || counts;
    }
    if (computed || (unwritten == elements && !local)) report(access, lane, first);
  }
}

void UninitialisedReads::check_global(const ObservedAccess& access, const WrittenBits& written,
                                      std::size_t first) {
  const auto at = [first](std::int64_t offset) { return first + static_cast<std::size_t>(offset); };
  for (const Footprint::Span& span : access.footprint->spans) {
    if (written.has_all(at(access.offset(span)), access.bytes(span))) continue;
    return check_lanes(
        access, [&](int lane, int byte) { return written.has(at(access.pattern->offset[lane] + byte)); });
  }
}

void UninitialisedReads::check_shared(const ObservedAccess& access, const std::uint32_t* write_tick,
                                      std::uint32_t block_start) {
  for (const Footprint::Span& span : access.footprint->spans) {
    ShadowCells cells;
    cells.write_tick = const_cast<std::uint32_t*>(write_tick + span.first);  // not written through
    if (!any_unwritten_since(cells, span.count, block_start)) continue;
    return check_lanes(access, [&](int lane, int byte) {
      return write_tick[(access.pattern->offset[lane] + byte) >> access.granule_shift] > block_start;
    });
  }
}

// ---- local memory ------------------------------------------------------------------------------------
LocalWrites::LocalWrites(UninitialisedReads& reads, UndefinedValues& undefined, std::size_t local_bytes,
                         std::size_t warps)
    : reads_(&reads),
      undefined_(&undefined),
      local_bytes_(local_bytes),
      size_(local_bytes * warps * kWarpSize),
      bytes_(allocate_host(size_)) {}

void LocalWrites::start_block() {
  if (++current_ != 0) return;
  if (bytes_) std::memset(bytes_.get(), 0, size_);
  current_ = 1;
}

bool LocalWrites::is_one_range(const ObservedAccess& access) const {
  return access.pattern->active == kAllLanes && access.pattern->low == 0 &&
         access.pattern->high == access.info->bytes_per_lane;
}

void LocalWrites::observe(const ObservedAccess& access) {
  const std::byte mark{current_};
  const auto bytes = static_cast<std::size_t>(access.info->bytes_per_lane);
  std::byte* base = row(*access.warp, access.base - kLocalWindow);
  if (is_one_range(access)) {
    const std::size_t range = bytes * kWarpSize;
    if (access.writes()) {
      std::memset(base, current_, range);
      return;
    }
    // All bytes are equal if the first is right and each equals the next.
    if (base[0] == mark && std::memcmp(base, base + 1, range - 1) == 0) return;
  }
  const auto at = [&](int lane, int byte) -> std::byte& {
    return base[(access.pattern->offset[lane] + byte) * kWarpSize + lane];
  };
  if (access.reads() && access.info->follows_values)
    note_loaded(access, base);
  else if (access.reads())
    reads_->check_lanes(access, [&](int lane, int byte) { return at(lane, byte) == mark; });
  if (!access.writes()) return;
  for (std::uint32_t left = access.pattern->active; left; left &= left - 1)
    for (std::size_t byte = 0; byte < bytes; ++byte)
      at(std::countr_zero(left), static_cast<int>(byte)) = mark;
}

void LocalWrites::note_loaded(const ObservedAccess& access, const std::byte* base) {
  const std::size_t elements = access.info->vector;
  const auto bytes =
      static_cast<std::ptrdiff_t>(static_cast<std::size_t>(access.info->bytes_per_lane) / elements);
  unwritten_.assign(elements, 0);
  for (std::uint32_t left = access.pattern->active; left; left &= left - 1) {
    const int lane = std::countr_zero(left);
    for (std::size_t element = 0; element < elements; ++element) {
      const std::ptrdiff_t first =
          access.pattern->offset[lane] + static_cast<std::ptrdiff_t>(element) * bytes;
      bool any = false;
      for (std::ptrdiff_t byte = 0; byte < bytes; ++byte)
        any = any || base[(first + byte) * kWarpSize + lane] == std::byte{current_};
      if (!any) unwritten_[element] |= 1u << lane;
    }
  }
  undefined_->loaded(access, unwritten_);
}

void LocalWrites::take_back(const ObservedAccess& access,
                            const std::vector<std::uint32_t>& lanes_of_elements) {
  std::byte* base = row(*access.warp, access.base - kLocalWindow);
  for (std::size_t element = 0; element < lanes_of_elements.size(); ++element) {
    const std::size_t bytes =
        static_cast<std::size_t>(access.info->bytes_per_lane) / lanes_of_elements.size();
    for (std::uint32_t left = lanes_of_elements[element]; left; left &= left - 1) {
      const int lane = std::countr_zero(left);
      const std::int64_t first = access.pattern->offset[lane] + static_cast<std::int64_t>(element * bytes);
      for (std::size_t byte = 0; byte < bytes; ++byte)
        base[(first + static_cast<std::int64_t>(byte)) * kWarpSize + lane] = std::byte{0};
    }
  }
}

void LocalWrites::forget(const Warp& warp, std::uint32_t lanes, std::size_t from, std::size_t bytes) {
  const std::size_t end = std::min(from + bytes, local_bytes_);
  if (lanes == kAllLanes && from < end) {
    std::memset(row(warp, from), 0, (end - from) * kWarpSize);
    return;
  }
  for (std::size_t byte = from; byte < end; ++byte)
    for (std::uint32_t left = lanes; left; left &= left - 1)
      row(warp, byte)[std::countr_zero(left)] = std::byte{0};
}

}  // namespace cudalab::vgpu
