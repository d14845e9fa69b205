#include "vgpu/execute/async_copy.h"

#include <algorithm>
#include <cstring>

#include "vgpu/checks/observer.h"
#include "vgpu/execute/access.h"
#include "vgpu/execute/lane_access.h"
#include "vgpu/lanes.h"

namespace cudalab::vgpu::async_copy {
namespace {

constexpr std::size_t kMostInFlight =
    256;  // of a warp; then the oldest arrives unasked, as it may at any time

// How many bytes each lane reads; the rest of its copy is zero.
std::array<std::uint32_t, kWarpSize> bytes_to_read(const Inst* inst, const Warp& warp) {
  std::array<std::uint32_t, kWarpSize> bytes;
  const auto all = static_cast<std::uint32_t>(inst->imm);
  const std::uint32_t ignored = inst->e.bits ? *lanes_at<const std::uint32_t>(warp, inst->e) : 0;
  for (int lane = 0; lane < kWarpSize; ++lane) {
    bytes[lane] = inst->c.bits ? std::min(all, lanes_at<const std::uint32_t>(warp, inst->c)[lane]) : all;
    if (ignored >> lane & 1) bytes[lane] = 0;
  }
  return bytes;
}

// A lane that reads a part only, as at the end of an array; byte by byte, for the rest may lie outside.
void read_part(AsyncCopy& copy, Warp& warp, const SiteState& site, int lane, std::uint64_t from,
               std::uint32_t bytes) {
  SiteInfo byte_info = *site.info;
  byte_info.bytes_per_lane = 1;
  SiteState byte_site;
  byte_site.info = &byte_info;
  for (std::uint32_t i = 0; i < bytes; ++i)
    copy.data[lane][i] = *locate_lane(copy.inst, warp, byte_site, lane, from + i, AccessMode::kRead);
}

void read(AsyncCopy& copy, Warp& warp) {
  const Inst* inst = copy.inst;
  SiteState& site = warp.sites[inst->site];
  LaneAddresses from;
  std::copy_n(lanes_at<const std::uint64_t>(warp, inst->b), kWarpSize, from.begin());
  const auto bytes = bytes_to_read(inst, warp);
  std::uint32_t whole = 0;
  for_each_lane(copy.lanes, [&](int lane) { whole |= bytes[lane] == inst->imm ? 1u << lane : 0; });
  const LanePointers memory = access_lanes(inst, warp, site, from, whole, AccessMode::kRead);
  for_each_lane(whole, [&](int lane) { std::memcpy(copy.data[lane].data(), memory[lane], inst->imm); });
  for_each_lane(copy.lanes & ~whole,
                [&](int lane) { read_part(copy, warp, site, lane, from[lane], bytes[lane]); });
}

void note_extent(AsyncCopy& copy) {
  copy.begin = ~std::uint64_t{0};
  for_each_lane(copy.lanes, [&](int lane) {
    copy.begin = std::min(copy.begin, copy.to[lane]);
    copy.end = std::max(copy.end, copy.to[lane] + copy.inst->imm);
  });
}

void arrive(AsyncCopy& copy, Warp& warp, std::uint32_t lanes) {
  if (lanes == 0) return;
  copy.lanes &= ~lanes;
  const LanePointers memory =
      access_lanes(copy.inst, warp, warp.sites[copy.inst->site + 1], copy.to, lanes, AccessMode::kWrite);
  for_each_lane(lanes, [&](int lane) { std::memcpy(memory[lane], copy.data[lane].data(), copy.inst->imm); });
}

}  // namespace

const Inst* issue(const Inst* inst, Warp& warp) {
  AsyncCopies& copies = warp.copies;
  if (copies.in_flight.size() == kMostInFlight) {
    arrive(copies.in_flight.front(), warp, copies.in_flight.front().lanes);
    copies.in_flight.erase(copies.in_flight.begin());
  }
  AsyncCopy& copy = copies.in_flight.emplace_back();
  copy.inst = inst;
  copy.number = copies.issued++;
  copy.lanes = warp.exec;
  copy.group = copies.committed;
  std::copy_n(lanes_at<const std::uint64_t>(warp, inst->a), kWarpSize, copy.to.begin());
  note_extent(copy);
  if (warp.observed) copy.tick = warp.block->observer->issue_copy(warp);
  read(copy, warp);
  return inst + 1;
}

const Inst* commit(const Inst* inst, Warp& warp) {
  for_each_lane(warp.exec, [&](int lane) { ++warp.copies.committed[lane]; });
  return inst + 1;
}

namespace {

void forget_arrived(AsyncCopies& copies) {
  std::erase_if(copies.in_flight, [](const AsyncCopy& copy) { return copy.lanes == 0; });
}

void arrive_but(Warp& warp, std::uint64_t latest_groups) {
  AsyncCopies& copies = warp.copies;
  for (AsyncCopy& copy : copies.in_flight) {
    std::uint32_t arriving = 0;
    for_each_lane(copy.lanes & warp.exec, [&](int lane) {
      const std::uint64_t later =
          std::uint64_t{copies.committed[lane]} - copy.group[lane];  // groups, its own included
      const bool is_done = latest_groups == kEverything || later > latest_groups;
      arriving |= is_done ? 1u << lane : 0;
    });
    arrive(copy, warp, arriving);
  }
  forget_arrived(copies);
}

}  // namespace

const Inst* wait(const Inst* inst, Warp& warp) {
  arrive_but(warp, inst->imm);
  return inst + 1;
}

void arrive_until(Warp& warp, int lane, std::uint64_t end) {
  for (AsyncCopy& copy : warp.copies.in_flight)
    if (copy.number < end) arrive(copy, warp, copy.lanes & 1u << lane);
  forget_arrived(warp.copies);
}

}  // namespace cudalab::vgpu::async_copy
