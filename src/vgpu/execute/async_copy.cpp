// Executes asynchronous copies: cp.async, and bulk copies (cp.async.bulk), which an mbarrier or a bulk group
// completes.
#include "vgpu/execute/async_copy.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "messages/vgpu.h"
#include "vgpu/checks/observer.h"
#include "vgpu/execute/cluster.h"
#include "vgpu/execute/lane_access.h"
#include "vgpu/execute/mbarrier.h"
#include "vgpu/warp_shape.h"

namespace cudalab::vgpu {
namespace {

// Beyond this, the oldest copy completes early, which PTX allows.
constexpr std::size_t kMostBulkCopies = 1024;

const BulkOp& op_of(const Inst* inst, const Warp& warp) { return warp.launch->program->bulk_ops[inst->imm]; }

// ---- memory ------------------------------------------------------------------------------------------
// The memory of a span that a lane's instruction accesses. Throws KernelFault if part of it does not exist.
std::byte* locate_span(const Inst* inst, Warp& warp, const SiteInfo& info, int lane, std::uint64_t address,
                       std::size_t bytes, AccessMode mode) {
  SiteInfo unit = info;
  unit.bytes_per_lane = static_cast<int>(std::min<std::size_t>(bytes, bulk::kUnitBytes));
  SiteState site;
  site.info = &unit;
  std::byte* first = locate_lane(inst, warp, site, lane, address, mode);
  if (bytes > bulk::kUnitBytes) locate_lane(inst, warp, site, lane, address + bytes - bulk::kUnitBytes, mode);
  return first;
}

void check_size(const Inst* inst, Warp& warp, int lane, std::size_t bytes) {
  if (bytes % bulk::kUnitBytes == 0) return;
  Hazard hazard = hazard_at(inst, warp, lane, HazardKind::kMisaligned);
  hazard.what = msg::bulk_copy_size(bytes, bulk::kUnitBytes);
  hazard.fix = msg::advice_bulk_copy_size();
  hazard.cuda_error = "CUDA_ERROR_ILLEGAL_INSTRUCTION";
  throw KernelFault{std::move(hazard)};
}

const SiteInfo& destination_of(const Inst* inst, const Warp& warp) { return *warp.sites[inst->site].info; }
const SiteInfo& source_of(const Inst* inst, const Warp& warp) { return *warp.sites[inst->site + 1].info; }

// ---- completion --------------------------------------------------------------------------------------
void write(const BulkCopy& copy, std::byte* to) {
  const BulkOp& op = op_of(copy.inst, *copy.warp);
  if (op.reduce)
    op.reduce(to, copy.data.data(), copy.data.size());
  else
    std::memcpy(to, copy.data.data(), copy.data.size());
}

void land_in_global(BulkCopy& copy) {
  Warp& warp = *copy.warp;
  const SiteInfo& info = destination_of(copy.inst, warp);
  const AccessMode mode = op_of(copy.inst, warp).reduce ? AccessMode::kReadWrite : AccessMode::kWrite;
  std::byte* to = locate_span(copy.inst, warp, info, copy.lane, copy.to, copy.data.size(), mode);
  if (warp.observed)
    warp.block->observer->observe_span(copy.inst, warp, info, copy.lane, copy.to, copy.data.size(), mode);
  write(copy, to);
}

// `by` and `lane` tested the mbarrier, so they are the first to see the data.
void land(BulkCopy& copy, Block& block, Warp& by, int lane) {
  if (Observer* observer = block.observer) observer->bulk_watch().end(copy.number);
  if (op_of(copy.inst, *copy.warp).to_global) return land_in_global(copy);
  if (Observer* observer = block.observer)
    observer->land(copy.inst, by, destination_of(copy.inst, *copy.warp), lane, copy.to, copy.data.size());
  write(copy, block.shared.get() + (copy.to - kSharedWindow));
  if (Observer* observer = by.block->observer) observer->arrive_at_mbarrier(by, block, copy.mbarrier);
  complete_bytes(copy.inst, by, lane, block, copy.mbarrier, static_cast<std::int64_t>(copy.data.size()));
}

template <class Which>
void land_where(Block& block, Warp* by, int lane, Which which) {
  const auto first = std::stable_partition(block.bulk_copies.begin(), block.bulk_copies.end(),
                                           [&](const BulkCopy& copy) { return !which(copy); });
  std::vector<BulkCopy> landing(std::make_move_iterator(first),
                                std::make_move_iterator(block.bulk_copies.end()));
  block.bulk_copies.erase(first, block.bulk_copies.end());
  for (BulkCopy& copy : landing) land(copy, block, by ? *by : *copy.warp, by ? lane : copy.lane);
}

// ---- issue -------------------------------------------------------------------------------------------
void add_copy(Block& block, BulkCopy copy) {
  if (block.bulk_copies.size() == kMostBulkCopies) {
    BulkCopy oldest = std::move(block.bulk_copies.front());
    block.bulk_copies.erase(block.bulk_copies.begin());
    land(oldest, block, *oldest.warp, oldest.lane);
  }
  copy.number = block.bulk_count++;
  if (Observer* observer = block.observer)
    observer->bulk_watch().begin({.number = copy.number,
                                  .inst = copy.inst,
                                  .to = copy.to,
                                  .from = copy.warp->block == &block ? copy.from : 0,
                                  .bytes = copy.data.size(),
                                  .is_reduction = op_of(copy.inst, *copy.warp).reduce != nullptr});
  block.bulk_copies.push_back(std::move(copy));
}

// Sends the copy into the shared memory of a block, whose mbarrier counts it. Earlier accesses to the
// destination must be ordered before the copy is issued.
void send_to_shared(BulkCopy copy, Block& block, std::uint64_t offset, std::uint64_t mbarrier) {
  Warp& warp = *copy.warp;
  const std::uint64_t address = kSharedWindow + (block.rank + std::uint64_t{1}) * kRankBytes + offset;
  const SiteInfo& info = destination_of(copy.inst, warp);
  locate_span(copy.inst, warp, info, copy.lane, address, copy.data.size(), AccessMode::kWrite);
  if (warp.observed)
    warp.block->observer->observe_span(copy.inst, warp, info, copy.lane, address, copy.data.size(),
                                       AccessMode::kWrite);
  copy.to = kSharedWindow + offset;
  copy.mbarrier = mbarrier;
  add_copy(block, std::move(copy));
}

void send(BulkCopy copy, const BulkOp& op, std::uint64_t to) {
  Warp& warp = *copy.warp;
  const Inst* inst = copy.inst;
  if (op.to_global) {
    locate_span(inst, warp, destination_of(inst, warp), copy.lane, to, copy.data.size(), AccessMode::kWrite);
    copy.to = to;
    copy.mbarrier = BulkCopy::kNoMbarrier;
    copy.group = warp.copies.bulk_committed[copy.lane];
    return add_copy(*warp.block, std::move(copy));
  }
  const SharedPlace mbarrier =
      shared_place_of(warp, lanes_at<const std::uint64_t>(warp, inst->slots[0])[copy.lane]);
  const SharedPlace place = shared_place_of(warp, to);
  const std::uint32_t own = place.rank < 32 ? 1u << place.rank : 0;
  const std::uint32_t ranks =
      op.has_ranks ? lanes_at<const std::uint32_t>(warp, inst->slots[1])[copy.lane] & 0xffff : own;
  const auto& blocks = warp.block->cluster->blocks;
  if (!op.has_ranks && !place.block)  // otherwise locate_span() reports the mistake
    locate_span(inst, warp, destination_of(inst, warp), copy.lane, to, copy.data.size(), AccessMode::kWrite);
  for (std::size_t rank = 0; rank < blocks.size(); ++rank)
    if (ranks >> rank & 1) send_to_shared(copy, *blocks[rank], place.offset, mbarrier.offset);
}

}  // namespace

void land_copies(Warp& asks, int lane, Block& block, std::uint64_t mbarrier) {
  land_where(block, &asks, lane, [&](const BulkCopy& copy) { return copy.mbarrier == mbarrier; });
}

void finish_bulk_copies(Block& block) {
  if (block.bulk_copies.empty()) return;
  land_where(block, nullptr, 0, [](const BulkCopy& copy) { return copy.mbarrier == BulkCopy::kNoMbarrier; });
}

namespace bulk {

const Inst* copy(const Inst* inst, Warp& warp) {
  const BulkOp& op = op_of(inst, warp);
  for_each_lane(warp.exec, [&](int lane) {
    const std::uint32_t bytes = lanes_at<const std::uint32_t>(warp, inst->c)[lane];
    const std::uint64_t from = lanes_at<const std::uint64_t>(warp, inst->b)[lane];
    check_size(inst, warp, lane, bytes);
    if (bytes == 0) return;
    const SiteInfo& info = source_of(inst, warp);
    const std::byte* source = locate_span(inst, warp, info, lane, from, bytes, AccessMode::kRead);
    if (warp.observed) {
      warp.block->observer->observe_span(inst, warp, info, lane, from, bytes, AccessMode::kRead);
      warp.block->observer->check_proxy_fence(inst, warp, info, lane, from, bytes);
    }
    BulkCopy made{.inst = inst, .warp = &warp, .lane = lane, .from = from, .data = {source, source + bytes}};
    send(std::move(made), op, lanes_at<const std::uint64_t>(warp, inst->a)[lane]);
  });
  return inst + 1;
}

const Inst* store(const Inst* inst, Warp& warp) {
  const BulkOp& op = op_of(inst, warp);
  constexpr int kElements = 1;  // index in slots, after the mbarrier
  for_each_lane(warp.exec, [&](int lane) {
    BulkCopy made{.inst = inst, .warp = &warp, .lane = lane};
    made.data.resize(std::size_t{op.elements} * op.element_bytes);
    for (std::uint32_t i = 0; i < op.elements; ++i) {
      const std::byte* element = lanes_at<const std::byte>(warp, inst->slots[kElements + i]);
      std::memcpy(made.data.data() + i * op.element_bytes,
                  element + static_cast<std::size_t>(lane) * op.element_bytes, op.element_bytes);
    }
    send(std::move(made), op, lanes_at<const std::uint64_t>(warp, inst->a)[lane]);
  });
  return inst + 1;
}

const Inst* commit_group(const Inst* inst, Warp& warp) {
  for_each_lane(warp.exec, [&](int lane) { ++warp.copies.bulk_committed[lane]; });
  return inst + 1;
}

const Inst* wait_group(const Inst* inst, Warp& warp) {
  const std::uint64_t latest = inst->imm & (kOnlyReads - 1);
  const auto is_waited_for = [&](const BulkCopy& copy) {
    if (copy.mbarrier != BulkCopy::kNoMbarrier || copy.warp != &warp || !(warp.exec >> copy.lane & 1))
      return false;
    return std::uint64_t{warp.copies.bulk_committed[copy.lane]} - copy.group > latest;
  };
  if (!(inst->imm & kOnlyReads)) {
    land_where(*warp.block, nullptr, 0, is_waited_for);
  } else if (warp.observed) {
    for (const BulkCopy& copy : warp.block->bulk_copies)
      if (is_waited_for(copy)) warp.block->observer->bulk_watch().end_reading(copy.number);
  }
  return inst + 1;
}

}  // namespace bulk
}  // namespace cudalab::vgpu

namespace cudalab::vgpu::async_copy {
namespace {

constexpr std::size_t kMostInFlight =
    256;  // per warp; beyond this, the oldest copy completes early, which PTX allows

// Bytes that each lane reads; the rest of its copy is zero.
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

// Copies byte by byte for a lane that reads less than its full size, as at the end of an array: the rest may
// be out of bounds.
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
          std::uint64_t{copies.committed[lane]} - copy.group[lane];  // groups, including its own
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
