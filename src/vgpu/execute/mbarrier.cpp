#include "vgpu/execute/mbarrier.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <functional>
#include <utility>

#include "messages/vgpu.h"
#include "vgpu/checks/observer.h"
#include "vgpu/execute/async_copy.h"
#include "vgpu/execute/cluster.h"
#include "vgpu/execute/lane_access.h"
#include "vgpu/warp_shape.h"

namespace cudalab::vgpu {
namespace {

constexpr int kCountBits = 20, kByteBits = 22;
constexpr std::uint64_t kNoObject = ~std::uint64_t{0};

// The mbarrier object that one lane accesses.
struct Object {
  Block* block;
  std::uint64_t offset;
  std::byte* memory;
  std::uint64_t bits() const {
    std::uint64_t bits;
    std::memcpy(&bits, memory, sizeof bits);
    return bits;
  }
  void set(std::uint64_t bits) const { std::memcpy(memory, &bits, sizeof bits); }
};

[[noreturn]] void report(const Inst* inst, Warp& warp, int lane, const Object& object, HazardKind kind,
                         const std::function<Message(Argument element)>& what, Message fix) {
  Hazard hazard = hazard_at(inst, warp, lane, kind);
  const Place place = place_of(*warp.launch, kSharedWindow + object.offset);
  hazard.address = kSharedWindow + object.offset;
  hazard.buffer = place.name;
  hazard.what = what(place.element(sizeof(std::uint64_t)));
  hazard.fix = std::move(fix);
  throw KernelFault{std::move(hazard)};
}

Object place_object(const Inst* inst, Warp& warp, int lane, AccessMode mode) {
  const std::uint64_t address = lanes_at<const std::uint64_t>(warp, inst->a)[lane];
  std::byte* memory = locate_lane(inst, warp, warp.sites[inst->site], lane, address, mode);
  const SharedPlace place = shared_place_of(warp, address);
  return {place.block, place.offset, memory};
}

Object find_object(const Inst* inst, Warp& warp, int lane) {
  const Object object = place_object(inst, warp, lane, AccessMode::kReadWrite);
  if (!Mbarrier::is_object(object.bits()))
    report(inst, warp, lane, object, HazardKind::kUninitialisedRead, msg::mbarrier_uninitialised,
           msg::advice_initialise_mbarrier());
  if (warp.observed) warp.block->observer->use_mbarrier(inst, warp, lane, *object.block, object.offset);
  return object;
}

void end_phase_if_complete(const Object& object, Mbarrier& state) {
  if (state.is_complete()) {
    state.begin_phase();
    if (Observer* observer = object.block->observer) observer->complete_phase(object.offset);
  }
  object.set(state.bits());
  ++object.block->phase_events;
}

void expect(const Inst* inst, Warp& warp, int lane, const Object& object, Mbarrier& state,
            std::int64_t bytes) {
  const std::int64_t sum = state.bytes + bytes;
  if (sum > Mbarrier::kMostBytes || sum < -Mbarrier::kMostBytes)
    report(inst, warp, lane, object, HazardKind::kTrap, msg::mbarrier_too_many_bytes,
           msg::advice_mbarrier_fewer_bytes());
  state.bytes = static_cast<std::int32_t>(sum);
}

std::uint32_t value_of(const Warp& warp, Slot slot, int lane, std::uint32_t otherwise) {
  return slot.bits ? lanes_at<const std::uint32_t>(warp, slot)[lane] : otherwise;
}

}  // namespace

// ---- the object --------------------------------------------------------------------------------------
void Mbarrier::begin_phase() {
  phase = !phase;
  missing = expected;
}

bool Mbarrier::is_object(std::uint64_t bits) { return bits >> 63 == 0 && from(bits).expected > 0; }

Mbarrier Mbarrier::from(std::uint64_t bits) {
  Mbarrier object;
  object.missing = static_cast<std::uint32_t>(bits & kMostArrivals);
  object.expected = static_cast<std::uint32_t>(bits >> kCountBits & kMostArrivals);
  const auto bytes = static_cast<std::int32_t>(bits >> (2 * kCountBits) & ((1u << kByteBits) - 1));
  object.bytes = bytes >= 1 << (kByteBits - 1) ? bytes - (1 << kByteBits) : bytes;
  object.phase = bits >> 62 & 1;
  return object;
}

std::uint64_t Mbarrier::bits() const {
  const std::uint64_t unsigned_bytes = static_cast<std::uint32_t>(bytes) & ((1u << kByteBits) - 1);
  return missing | std::uint64_t{expected} << kCountBits | unsigned_bytes << (2 * kCountBits) |
         std::uint64_t{phase} << 62;
}

void complete_bytes(const Inst* inst, Warp& by, int lane, Block& block, std::uint64_t offset,
                    std::int64_t bytes) {
  const Object object{&block, offset, block.shared.get() + offset};
  if (!Mbarrier::is_object(object.bits())) return;  // invalidated, so no thread can be waiting for it
  Mbarrier state = Mbarrier::from(object.bits());
  expect(inst, by, lane, object, state, -bytes);
  end_phase_if_complete(object, state);
}

void report_endless_phase(Warp& warp) {
  const std::uint64_t offset = warp.stalled_mbarrier;
  const Object object{warp.block, offset, warp.block->shared.get() + offset};
  const Mbarrier state = Mbarrier::from(object.bits());
  Hazard hazard = hazard_at(warp.stalled_at, warp, std::countr_zero(warp.live), HazardKind::kDeadlock);
  const Place place = place_of(*warp.launch, kSharedWindow + offset);
  hazard.address = kSharedWindow + offset;
  hazard.buffer = place.name;
  const Argument element = place.element(sizeof(std::uint64_t));
  hazard.what = state.bytes ? msg::mbarrier_endless_bytes(element, state.missing, state.expected, state.bytes)
                            : msg::mbarrier_endless(element, state.missing, state.expected);
  hazard.fix = msg::advice_mbarrier_as_initialised();
  throw KernelFault{std::move(hazard)};
}

// ---- instructions ------------------------------------------------------------------------------------
namespace mbarrier {

const Inst* init(const Inst* inst, Warp& warp) {
  for_each_lane(warp.exec, [&](int lane) {
    const Object object = place_object(inst, warp, lane, AccessMode::kWrite);
    const std::uint32_t count = value_of(warp, inst->b, lane, 1);
    if (count == 0 || count > Mbarrier::kMostArrivals)
      report(
          inst, warp, lane, object, HazardKind::kTrap,
          [count](Argument element) { return msg::mbarrier_arrival_count(count, std::move(element)); },
          msg::advice_mbarrier_arrivals());
    if (warp.observed)
      warp.block->observer->initialise_mbarrier(inst, warp, lane, *object.block, object.offset);
    object.set(Mbarrier{.missing = count, .expected = count}.bits());
    ++object.block->phase_events;
  });
  return inst + 1;
}

const Inst* invalidate(const Inst* inst, Warp& warp) {
  for_each_lane(warp.exec, [&](int lane) { find_object(inst, warp, lane).set(kNoObject); });
  return inst + 1;
}

const Inst* expect_bytes(const Inst* inst, Warp& warp) {
  for_each_lane(warp.exec, [&](int lane) {
    const Object object = find_object(inst, warp, lane);
    Mbarrier state = Mbarrier::from(object.bits());
    expect(inst, warp, lane, object, state, value_of(warp, inst->b, lane, 0));
    object.set(state.bits());
  });
  return inst + 1;
}

const Inst* complete_bytes(const Inst* inst, Warp& warp) {
  for_each_lane(warp.exec, [&](int lane) {
    const Object object = find_object(inst, warp, lane);
    vgpu::complete_bytes(inst, warp, lane, *object.block, object.offset, value_of(warp, inst->b, lane, 0));
  });
  return inst + 1;
}

namespace {

struct Arrivals {
  std::uint32_t count;
  bool drops, orders;
};

void count_arrivals(const Inst* inst, Warp& warp, int lane, const Object& object, Mbarrier state,
                    Arrivals arrivals) {
  if (arrivals.count > state.missing)
    report(
        inst, warp, lane, object, HazardKind::kTrap,
        [&state](Argument element) {
          return msg::mbarrier_extra_arrival(state.expected, std::move(element));
        },
        msg::advice_mbarrier_thread_count());
  if (warp.observed && arrivals.orders)
    warp.block->observer->arrive_at_mbarrier(warp, *object.block, object.offset);
  state.missing -= arrivals.count;
  if (arrivals.drops) state.expected -= std::min(arrivals.count, state.expected);
  end_phase_if_complete(object, state);
}

// Completes the copies that precede cp.async.mbarrier.arrive on this mbarrier, and counts their arrivals.
void finish_async_arrivals(const Object& object) {
  auto& all = object.block->async_arrivals;
  const auto first = std::ranges::stable_partition(
      all, [&](const AsyncArrival& arrival) { return arrival.mbarrier != object.offset; });
  const std::vector<AsyncArrival> finished(first.begin(), first.end());
  all.erase(first.begin(), first.end());
  for (const AsyncArrival& arrival : finished) {
    async_copy::arrive_until(*arrival.warp, arrival.lane, arrival.copies);
    if (!Mbarrier::is_object(object.bits())) continue;  // invalidated meanwhile
    count_arrivals(arrival.inst, *arrival.warp, arrival.lane, object, Mbarrier::from(object.bits()),
                   {.count = 1, .drops = false, .orders = true});
  }
}

// Completes the copies and arrivals that are in flight to the mbarrier, because a thread tests it or moves on
// to the next phase.
void finish_phase(Warp& warp, int lane, const Object& object) {
  finish_async_arrivals(object);
  if (Mbarrier::from(object.bits()).missing == 0) land_copies(warp, lane, *object.block, object.offset);
}

}  // namespace

const Inst* arrive(const Inst* inst, Warp& warp) {
  const std::uint64_t flags = inst->imm;
  for_each_lane(warp.exec, [&](int lane) {
    const Object object = find_object(inst, warp, lane);
    const std::uint32_t given = value_of(warp, inst->b, lane, 1);
    const std::uint32_t arrivals = flags & kExpectsBytes ? 1 : given;
    if (const Mbarrier now = Mbarrier::from(object.bits()); now.missing == 0 || arrivals > now.missing)
      finish_phase(warp, lane, object);
    Mbarrier state = Mbarrier::from(object.bits());
    if (inst->d.bits) lanes_at<std::uint64_t>(warp, inst->d)[lane] = state.bits();
    if (flags & kExpectsBytes) expect(inst, warp, lane, object, state, given);
    count_arrivals(inst, warp, lane, object, state,
                   {.count = arrivals, .drops = (flags & kDrops) != 0, .orders = !(flags & kRelaxed)});
  });
  return inst + 1;
}

const Inst* arrive_after_copies(const Inst* inst, Warp& warp) {
  for_each_lane(warp.exec, [&](int lane) {
    const Object object = find_object(inst, warp, lane);
    if (Mbarrier::from(object.bits()).missing == 0) finish_phase(warp, lane, object);
    Mbarrier state = Mbarrier::from(object.bits());
    if (inst->imm & kCountsItself) ++state.missing;
    object.set(state.bits());
    object.block->async_arrivals.push_back({inst, &warp, lane, warp.copies.issued, object.offset});
    ++object.block->phase_events;
  });
  return inst + 1;
}

namespace {

// The phase of a state or parity is complete if the object is in the other phase.
bool is_over(const Inst* inst, const Warp& warp, int lane, const Object& object) {
  const bool phase = inst->imm & kParity
                         ? lanes_at<const std::uint32_t>(warp, inst->b)[lane] & 1
                         : Mbarrier::from(lanes_at<const std::uint64_t>(warp, inst->b)[lane]).phase;
  return Mbarrier::from(object.bits()).phase != phase;
}

// Ends the time slice: other warps must make progress first.
void stall(const Inst* inst, Warp& warp, const Object& object) {
  warp.stalled_at = inst;
  warp.stalled_mbarrier = object.offset;
  ++warp.polls;
  warp.unused += std::exchange(warp.budget, 0);
}

}  // namespace

const Inst* wait(const Inst* inst, Warp& warp) {
  std::uint32_t done = 0;
  for_each_lane(warp.exec, [&](int lane) {
    const Object object = find_object(inst, warp, lane);
    if (!is_over(inst, warp, lane, object)) finish_phase(warp, lane, object);
    if (!is_over(inst, warp, lane, object)) return stall(inst, warp, object);
    done |= 1u << lane;
    if (warp.observed && !(inst->imm & kIsRelaxed))
      warp.block->observer->pass_mbarrier(warp, *object.block, object.offset);
  });
  if (done) warp.stalled_at = nullptr;
  std::uint32_t& to = *lanes_at<std::uint32_t>(warp, inst->d);
  to = (to & ~warp.exec) | done;
  return inst + 1;
}

const Inst* pending_count(const Inst* inst, Warp& warp) {
  for_each_lane(warp.exec, [&](int lane) {
    lanes_at<std::uint32_t>(warp, inst->d)[lane] =
        Mbarrier::from(lanes_at<const std::uint64_t>(warp, inst->a)[lane]).missing;
  });
  return inst + 1;
}

}  // namespace mbarrier
}  // namespace cudalab::vgpu
