// Splits accesses of warps into elements of lanes, and reads their values.
#include "vgpu/counters/access_history.h"

#include <algorithm>
#include <cstring>

#include "vgpu/counters/access_costs.h"
#include "vgpu/memory/memory.h"
#include "vgpu/program.h"

namespace cudalab::vgpu {
namespace {

AccessEvent::Kind kind_of(AccessKind kind) {
  if (kind == AccessKind::kLoad) return AccessEvent::kLoad;
  return kind == AccessKind::kStore ? AccessEvent::kStore : AccessEvent::kUpdate;
}

std::uint64_t value_at(const std::byte* data, std::size_t bytes) {
  std::uint64_t value = 0;
  std::memcpy(&value, data, std::min(bytes, sizeof value));
  return value;
}

}  // namespace

HistoryWriter::HistoryWriter(const Launch& launch, AccessHistory& history, NameAt name_at)
    : launch_(&launch),
      history_(&history),
      name_at_(name_at),
      first_line_(static_cast<std::uint32_t>(history.lines.size())) {
  history.launches.push_back({launch.request->spec.grid, launch.request->spec.block});
  history.lines.insert(history.lines.end(), launch.program->lines.begin(), launch.program->lines.end());
}

const std::pair<const std::uint64_t, HistoryWriter::Range>* HistoryWriter::range_at(std::uint64_t address) {
  const auto after = ranges_.upper_bound(address);
  if (after != ranges_.begin())
    if (const auto& known = *std::prev(after); address - known.first < known.second.bytes) return &known;
  const auto found = range_of(*launch_, address);
  if (!found) return nullptr;
  const auto [base, bytes] = *found;
  const bool is_shared = base - kSharedWindow < kWindowBytes;
  const AccessHistory::Buffer buffer{name_at_(*launch_, base),
                                     is_shared ? MemorySpace::kShared : MemorySpace::kGlobal};
  const auto same = [&](const AccessHistory::Buffer& other) {
    return other.name == buffer.name && other.space == buffer.space;
  };
  auto& buffers = history_->buffers;
  auto place = std::ranges::find_if(buffers, same);
  if (place == buffers.end()) place = buffers.insert(place, buffer);
  const Range range{static_cast<std::uint32_t>(place - buffers.begin()), bytes,
                    is_shared ? nullptr : launch_->memory->find(base)->host.get()};
  return &*ranges_.emplace(base, range).first;
}

AccessEvent HistoryWriter::event_of(const Warp& warp, std::size_t lane, std::uint32_t line) const {
  AccessEvent event;
  event.launch = static_cast<std::uint32_t>(history_->launches.size() - 1);
  event.block = static_cast<std::uint32_t>(linear_index(launch_->request->spec.grid, warp.block->index));
  event.thread = static_cast<std::uint32_t>(warp.index * kWarpSize + lane);
  event.line = first_line_ + line;
  return event;
}

void HistoryWriter::add_element(AccessEvent event, const std::byte* data) {
  if (history_->events.size() == AccessHistory::kMostEvents) end_early();
  if (!history_->is_complete) return;
  if (!is_store(event))
    event.value = value_at(data, event.bytes);
  else
    pending_.push_back({history_->events.size(), data});
  history_->events.push_back(event);
}

void HistoryWriter::read_stored_values() {
  for (const auto& [number, data] : pending_) {
    AccessEvent& event = history_->events[number];
    event.value = value_at(data, event.bytes);
  }
  pending_.clear();
}

void HistoryWriter::add(const Warp& warp, const SiteInfo& site, const Pattern& pattern, std::uint64_t base) {
  read_stored_values();
  if (class_of(site.kind).space == MemorySpace::kLocal) return;
  // The data arrives later than the events that follow.
  if (site.kind == SiteKind::kAsyncLoad || site.kind == SiteKind::kAsyncStore) end_early();
  const auto elements = std::max<std::uint64_t>(site.vector, 1);
  const std::uint64_t bytes = static_cast<std::uint64_t>(site.bytes_per_lane) / elements;
  if (bytes == 0) return;
  for (std::size_t lane = 0; lane < kWarpSize; ++lane) {
    if (!(pattern.active >> lane & 1)) continue;
    const std::uint64_t address = base + static_cast<std::uint64_t>(pattern.offset[lane]);
    const auto* range = range_at(address);
    if (!range) continue;
    AccessEvent event = event_of(warp, lane, site.source);
    event.kind = kind_of(class_of(site.kind).access);
    event.bytes = static_cast<std::uint8_t>(bytes);
    event.buffer = range->second.buffer;
    const std::byte* first =
        range->second.data ? range->second.data : warp.block->shared.get() + (range->first - kSharedWindow);
    for (std::uint64_t i = 0; i < elements; ++i) {
      const std::uint64_t offset = address - range->first + i * bytes;
      event.element = offset / bytes;
      if (offset + bytes <= range->second.bytes) add_element(event, first + offset);
    }
  }
}

void HistoryWriter::add_shuffle(const Inst* inst, const ValueStep& step, const Warp& warp) {
  read_stored_values();
  const auto *distance = lanes_at<const std::uint32_t>(warp, step.distance),
             *clamp = lanes_at<const std::uint32_t>(warp, step.clamp),
             *values = lanes_at<const std::uint32_t>(warp, step.from.front());
  for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
    if (!(warp.exec >> lane & 1)) continue;
    std::uint32_t from = source_lane(step.mode, lane, distance[lane], clamp[lane]);
    if (!(warp.exec >> from & 1)) from = lane;
    AccessEvent event = event_of(warp, lane, inst->source);
    event.kind = AccessEvent::kShuffle;
    event.bytes = sizeof *values;
    event.element = warp.index * kWarpSize + from;
    add_element(event, reinterpret_cast<const std::byte*>(values + from));
  }
}

}  // namespace cudalab::vgpu
