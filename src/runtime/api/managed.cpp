// The runtime API's managed memory: allocation, advice and prefetches. Host and virtual GPU share one copy of
// the memory, so advice is only stored and returned.
#include <algorithm>
#include <cstring>
#include <span>

#include "messages/runtime.h"
#include "runtime/call.h"

using namespace cudalab;
using namespace cudalab::runtime;

namespace {

std::uint64_t value_of(const void* pointer) { return reinterpret_cast<std::uint64_t>(pointer); }

struct Range {
  std::uint64_t begin = 0, end = 0;
};

Range managed_range(const void* pointer, std::size_t bytes) {
  const MemoryBlock* block = the_runtime().memory.find(value_of(pointer));
  const bool is_managed = block && (block->kind == MemoryKind::kManaged ||
                                    (block->kind == MemoryKind::kVariable && block->is_reached_by_host()));
  require(is_managed, cudaErrorInvalidValue, msg::memory_not_managed());
  require(bytes > 0, cudaErrorInvalidValue, msg::managed_range_empty());
  require(bytes <= block->end() - value_of(pointer), cudaErrorInvalidValue, msg::managed_range_beyond_end());
  return {value_of(pointer), value_of(pointer) + bytes};
}

bool is_of_a_place(const cudaMemLocation& place) {
  return place.type >= cudaMemLocationTypeDevice && place.type <= cudaMemLocationTypeHostNumaCurrent;
}

// Throws Failure if this is not a memory location. The host has one NUMA node here, number 0. The error for a
// missing GPU depends on the call, so the caller passes it.
void require_place(const cudaMemLocation& place, cudaError_t no_such_gpu) {
  switch (place.type) {
    case cudaMemLocationTypeDevice:
      require(place.id >= 0 && place.id < the_runtime().settings.devices, no_such_gpu,
              msg::location_gpu_unknown());
      return;
    case cudaMemLocationTypeHost:
    case cudaMemLocationTypeHostNumaCurrent: return;
    case cudaMemLocationTypeHostNuma:
      require(place.id == 0, cudaErrorInvalidValue, msg::location_host_node_unknown());
      return;
    default: throw Failure{cudaErrorInvalidValue, msg::location_not_gpu_or_host()};
  }
}

// The device number that attribute queries return for a location.
int device_in(const MemoryPlace& place) {
  return place.type == cudaMemLocationTypeDevice ? place.id
         : place.type == cudaMemLocationTypeHost ? cudaCpuDeviceId
                                                 : cudaInvalidDeviceId;
}

MemoryPlace place_of(const cudaMemLocation& location) { return {location.type, location.id}; }

void prefetch(const Range& range, const cudaMemLocation& location) {
  the_runtime().managed.change(range.begin, range.end,
                               [&](Advice& advice) { advice.prefetched = place_of(location); });
}

void advise(const Range& range, cudaMemoryAdvise what, const cudaMemLocation& location) {
  const MemoryPlace place = place_of(location);
  require(is_of_a_place(location), cudaErrorInvalidValue, msg::location_not_gpu_or_host());
  ManagedRanges& ranges = the_runtime().managed;
  const auto change = [&](const auto& how) { ranges.change(range.begin, range.end, how); };
  switch (what) {
    case cudaMemAdviseSetReadMostly: return change([](Advice& advice) { advice.is_read_mostly = true; });
    case cudaMemAdviseUnsetReadMostly: return change([](Advice& advice) { advice.is_read_mostly = false; });
    case cudaMemAdviseSetPreferredLocation:
      require_place(location, cudaErrorInvalidValue);
      return change([&](Advice& advice) { advice.preferred = place; });
    case cudaMemAdviseUnsetPreferredLocation: return change([](Advice& advice) { advice.preferred = {}; });
    case cudaMemAdviseSetAccessedBy:
    case cudaMemAdviseUnsetAccessedBy:
      require_place(location, cudaErrorInvalidValue);
      require(device_in(place) != cudaInvalidDeviceId, cudaErrorInvalidValue,
              msg::memory_accessed_by_neither());
      return change([&](Advice& advice) {
        if (what == cudaMemAdviseSetAccessedBy)
          advice.accessed_by.insert(device_in(place));
        else
          advice.accessed_by.erase(device_in(place));
      });
    default: throw Failure{cudaErrorInvalidValue, msg::advice_unknown()};
  }
}

// ---- batches -------------------------------------------------------------------------------------------

struct Batch {
  void** pointers;
  std::size_t* sizes;
  std::size_t count;
  cudaMemLocation* places;
  std::size_t* firsts;  // index of the first range of each location
  std::size_t place_count;
  unsigned long long flags;
  cudaStream_t stream;
};

std::vector<Range> ranges_in(const Batch& batch) {
  require(batch.pointers && batch.sizes && batch.count > 0, cudaErrorInvalidValue,
          msg::batch_without_ranges());
  require(batch.flags == 0, cudaErrorInvalidValue, msg::flags_not_zero());
  require(batch.stream && batch.stream != cudaStreamLegacy, cudaErrorInvalidValue,
          msg::batch_on_legacy_stream());
  stream_of(batch.stream);
  std::vector<Range> ranges;
  for (std::size_t i = 0; i < batch.count; ++i)
    ranges.push_back(managed_range(batch.pointers[i], batch.sizes[i]));
  return ranges;
}

// Prefetches all ranges or, if one is invalid, none.
void prefetch(const Batch& batch) {
  const std::vector<Range> ranges = ranges_in(batch);
  require(batch.places && batch.firsts && batch.place_count > 0 && batch.place_count <= batch.count,
          cudaErrorInvalidValue, msg::batch_location_count_impossible());
  const std::span firsts(batch.firsts, batch.place_count);
  require(firsts[0] == 0 && std::ranges::is_sorted(firsts) && firsts.back() < batch.count,
          cudaErrorInvalidValue, msg::batch_indices_not_ascending());
  for (const cudaMemLocation& place : std::span(batch.places, batch.place_count))
    require_place(place, cudaErrorInvalidValue);
  for (std::size_t i = 0, place = 0; i < ranges.size(); ++i) {
    while (place + 1 < firsts.size() && firsts[place + 1] <= i) ++place;
    prefetch(ranges[i], batch.places[place]);
  }
}

// ---- attributes ----------------------------------------------------------------------------------------

bool is_same(const MemoryPlace& a, const MemoryPlace& b) {
  return a.type == b.type && (a.type != cudaMemLocationTypeDevice || a.id == b.id);
}

// The location that all parts have in common; type 0 if they differ.
MemoryPlace common(const std::vector<Advice>& parts, MemoryPlace Advice::*which) {
  const MemoryPlace first = parts.front().*which;
  const bool is_common =
      std::ranges::all_of(parts, [&](const Advice& part) { return is_same(part.*which, first); });
  return is_common ? first : MemoryPlace{};
}

// Writes the accessors that all parts have in common, at most as many as `to` holds.
void tell_accessors(const std::vector<Advice>& parts, std::span<int> to) {
  std::ranges::fill(to, cudaInvalidDeviceId);
  std::size_t told = 0;
  for (const int device : parts.front().accessed_by) {
    const bool is_everywhere =
        std::ranges::all_of(parts, [&](const Advice& part) { return part.accessed_by.contains(device); });
    if (is_everywhere && told < to.size()) to[told++] = device;
  }
}

void tell_attribute(void* data, std::size_t bytes, cudaMemRangeAttribute attribute, const Range& range) {
  require(data, cudaErrorInvalidValue, msg::pointer_to_answer_null());
  const std::vector<Advice> parts = the_runtime().managed.of(range.begin, range.end);
  if (attribute == cudaMemRangeAttributeAccessedBy) {
    require(bytes > 0 && bytes % sizeof(int) == 0, cudaErrorInvalidValue, msg::answer_not_list_of_numbers());
    return tell_accessors(parts, {static_cast<int*>(data), bytes / sizeof(int)});
  }
  require(bytes == sizeof(int), cudaErrorInvalidValue, msg::answer_not_four_bytes());
  const MemoryPlace preferred = common(parts, &Advice::preferred);
  const MemoryPlace prefetched = common(parts, &Advice::prefetched);
  const auto value = [&]() -> int {
    switch (attribute) {
      case cudaMemRangeAttributeReadMostly: return std::ranges::all_of(parts, &Advice::is_read_mostly);
      case cudaMemRangeAttributePreferredLocation: return device_in(preferred);
      case cudaMemRangeAttributeLastPrefetchLocation: return device_in(prefetched);
      case cudaMemRangeAttributePreferredLocationType: return preferred.type;
      case cudaMemRangeAttributePreferredLocationId: return preferred.id;
      case cudaMemRangeAttributeLastPrefetchLocationType: return prefetched.type;
      case cudaMemRangeAttributeLastPrefetchLocationId: return prefetched.id;
      default: throw Failure{cudaErrorInvalidValue, msg::attribute_unknown()};
    }
  }();
  std::memcpy(data, &value, sizeof value);
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

cudaError_t cudaMallocManaged(void** pointer, std::size_t bytes, unsigned flags) {
  return answer(__func__, [&] {
    require(flags == cudaMemAttachGlobal || flags == cudaMemAttachHost, cudaErrorInvalidValue,
            msg::flags_not_attach());
    require(pointer, cudaErrorInvalidValue, msg::pointer_to_pointer_null());
    *pointer = nullptr;
    if (bytes == 0) return;
    Runtime& state = the_runtime();
    const std::uint64_t address = state.memory.allocate_on_host(
        "cudaMallocManaged", bytes, MemoryKind::kManaged, this_thread().device, flags);
    state.managed.forget(address, address + bytes);
    *pointer = reinterpret_cast<void*>(address);
  });
}

cudaError_t cudaMemPrefetchAsync(const void* pointer, std::size_t bytes, cudaMemLocation place,
                                 unsigned flags, cudaStream_t stream) {
  return answer(__func__, [&] {
    const Range range = managed_range(pointer, bytes);
    require(flags == 0, cudaErrorInvalidValue, msg::flags_not_zero());
    require_place(place, cudaErrorInvalidDevice);
    stream_of(stream);
    prefetch(range, place);
  });
}
cudaError_t cudaMemPrefetchBatchAsync(void** pointers, std::size_t* sizes, std::size_t count,
                                      cudaMemLocation* places, std::size_t* firsts, std::size_t place_count,
                                      unsigned long long flags, cudaStream_t stream) {
  return answer(__func__, [&] {
    prefetch(Batch{pointers, sizes, count, places, firsts, place_count, flags, stream});
  });
}
// Discarded memory may hold any values afterwards; here it keeps the old ones.
cudaError_t cudaMemDiscardBatchAsync(void** pointers, std::size_t* sizes, std::size_t count,
                                     unsigned long long flags, cudaStream_t stream) {
  return answer(__func__, [&] { ranges_in({pointers, sizes, count, nullptr, nullptr, 0, flags, stream}); });
}
cudaError_t cudaMemDiscardAndPrefetchBatchAsync(void** pointers, std::size_t* sizes, std::size_t count,
                                                cudaMemLocation* places, std::size_t* firsts,
                                                std::size_t place_count, unsigned long long flags,
                                                cudaStream_t stream) {
  return answer(__func__, [&] {
    prefetch(Batch{pointers, sizes, count, places, firsts, place_count, flags, stream});
  });
}

cudaError_t cudaMemAdvise(const void* pointer, std::size_t bytes, cudaMemoryAdvise what,
                          cudaMemLocation place) {
  return answer(__func__, [&] { advise(managed_range(pointer, bytes), what, place); });
}

cudaError_t cudaMemRangeGetAttribute(void* data, std::size_t data_bytes, cudaMemRangeAttribute attribute,
                                     const void* pointer, std::size_t bytes) {
  return answer(__func__,
                [&] { tell_attribute(data, data_bytes, attribute, managed_range(pointer, bytes)); });
}
cudaError_t cudaMemRangeGetAttributes(void** data, std::size_t* data_bytes, cudaMemRangeAttribute* attributes,
                                      std::size_t count, const void* pointer, std::size_t bytes) {
  return answer(__func__, [&] {
    require(data && data_bytes && attributes && count > 0, cudaErrorInvalidValue, msg::pointer_null());
    const Range range = managed_range(pointer, bytes);
    for (std::size_t i = 0; i < count; ++i) tell_attribute(data[i], data_bytes[i], attributes[i], range);
  });
}

cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void* pointer, std::size_t bytes, unsigned flags) {
  return answer(__func__, [&] {
    stream_of(stream);
    const MemoryBlock* block = the_runtime().memory.find(value_of(pointer));
    require(block && block->kind == MemoryKind::kManaged, cudaErrorInvalidValue, msg::memory_not_managed());
    require(bytes == 0 || bytes == block->bytes, cudaErrorInvalidValue, msg::attach_length_wrong());
    require(flags == cudaMemAttachGlobal || flags == cudaMemAttachHost || flags == cudaMemAttachSingle,
            cudaErrorInvalidValue, msg::flags_not_attach());
    require(stream || flags != cudaMemAttachSingle, cudaErrorInvalidValue, msg::attach_to_default_stream());
  });
}

}  // extern "C"
#pragma GCC visibility pop
