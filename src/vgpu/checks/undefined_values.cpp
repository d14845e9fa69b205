#include "vgpu/checks/undefined_values.h"

#include <algorithm>
#include <bit>

#include "messages/vgpu.h"
#include "vgpu/program.h"

namespace cudalab::vgpu {
namespace {

constexpr std::size_t kMostOrigins = 4096,
                      kMostCarried = 1u << 16;  // per block; beyond this, nothing is followed

std::uint32_t predicate_bits(const Warp& warp, Slot slot) {
  return slot.bits ? *lanes_at<const std::uint32_t>(warp, slot) : 0;
}

}  // namespace

void UndefinedValues::start_block(Block& block) {
  block_ = &block;
  held_.resize(block.warps.size());
  if (origins_.empty()) return;
  origins_.clear();
  carried_.clear();
  kept_.clear();
  for (auto& held : held_) held.clear();
  for (Warp& warp : block.warps) warp.holds_undefined = false;
}

// ---- registers ---------------------------------------------------------------------------------------
UndefinedValues::Undefined UndefinedValues::of(const Warp& warp, Slot slot) {
  for (const Held& held : held_by(warp))
    if (held.slot == slot.bits && held.frame == warp.frame) return held.value;
  return {};
}

// Sets the value for the active lanes.
void UndefinedValues::set(Warp& warp, Slot slot, Undefined value) {
  if (slot.bits == 0) return;
  std::vector<Held>& all = held_by(warp);
  const auto known = std::find_if(all.begin(), all.end(), [&](const Held& held) {
    return held.slot == slot.bits && held.frame == warp.frame;
  });
  const std::uint32_t kept = known == all.end() ? 0 : known->value.lanes & ~warp.exec;
  const std::uint32_t lanes = kept | (value.lanes & warp.exec);
  if (lanes == 0) {
    if (known == all.end()) return;
    *known = all.back();
    all.pop_back();
    warp.holds_undefined = !all.empty();
    return;
  }
  const std::uint32_t origin = (value.lanes & warp.exec) ? value.origin : known->value.origin;
  if (known == all.end())
    all.push_back({warp.frame, slot.bits, {lanes, origin}});
  else
    known->value = {lanes, origin};
  warp.holds_undefined = true;
}

UndefinedValues::Undefined UndefinedValues::mixed(const ValueStep& step, const Warp& warp) {
  Undefined result;
  for (const Slot slot : step.from) {
    const Undefined value = of(warp, slot);
    if (value.lanes && !result.lanes) result.origin = value.origin;
    result.lanes |= value.lanes;
  }
  return result;
}

UndefinedValues::Undefined UndefinedValues::selected(const ValueStep& step, const Warp& warp) {
  const Undefined first = of(warp, step.from.at(0)), second = of(warp, step.from.at(1)),
                  chooser = of(warp, step.chooser);
  const std::uint32_t chosen = predicate_bits(warp, step.chooser);
  const std::uint32_t of_first = first.lanes & chosen, of_second = second.lanes & ~chosen;
  return {of_first | of_second | chooser.lanes, of_first    ? first.origin
                                                : of_second ? second.origin
                                                            : chooser.origin};
}

// The result of two predicates is undefined if one of them is, unless the other one alone decides the result.
UndefinedValues::Undefined UndefinedValues::decided(const ValueStep& step, const Warp& warp, bool deciding) {
  std::array<Undefined, 2> values;
  std::array<std::uint32_t, 2> decides{};
  for (std::size_t i = 0; i < 2; ++i) {
    values[i] = of(warp, step.from.at(i));
    const bool is_negated = step.negated[i] == deciding;
    const std::uint32_t bits = predicate_bits(warp, step.from[i]);
    decides[i] = step.from[i].bits ? (is_negated ? ~bits : bits) & ~values[i].lanes : 0;
  }
  const std::uint32_t first = values[0].lanes & ~decides[1], second = values[1].lanes & ~decides[0];
  return {first | second, first ? values[0].origin : values[1].origin};
}

UndefinedValues::Undefined UndefinedValues::result_of(const ValueStep& step, const Warp& warp) {
  switch (step.kind) {
    case ValueStep::Kind::kSelect: return selected(step, warp);
    case ValueStep::Kind::kAnd: return decided(step, warp, false);
    case ValueStep::Kind::kOr: return decided(step, warp, true);
    default: return mixed(step, warp);
  }
}

void UndefinedValues::follow(const ValueStep& step, const Inst* inst, Warp& warp) {
  if (!block_) return;
  for (const Slot slot : step.matters)
    if (const Undefined value = of(warp, slot); value.lanes & warp.exec)
      report(warp, value.origin, value.lanes & warp.exec);
  if (step.kind == ValueStep::Kind::kLoad) {
    for (std::size_t i = 0; i < step.to.size(); ++i)
      set(warp, step.to[i], i < loading_.size() ? loading_[i] : Undefined{});
    loading_.clear();
    warp.holds_undefined = !held_by(warp).empty();
  } else if (step.kind == ValueStep::Kind::kStore) {
    storing_.clear();
    for (const Slot slot : step.from) storing_.push_back(of(warp, slot));
  } else {
    const Undefined value =
        step.kind == ValueStep::Kind::kShuffle ? shuffled(step, inst, warp) : result_of(step, warp);
    for (const Slot slot : step.to) set(warp, slot, value);
  }
}

// ---- origins -----------------------------------------------------------------------------------------
std::uint32_t UndefinedValues::new_origin(Origin origin) {
  origins_.push_back(std::move(origin));
  return static_cast<std::uint32_t>(origins_.size() - 1);
}

void UndefinedValues::loaded(const ObservedAccess& access, const std::vector<std::uint32_t>& unwritten) {
  std::uint32_t any = 0, whole = ~0u;
  for (const std::uint32_t lanes : unwritten) any |= lanes, whole &= lanes;
  if (any == 0 || origins_.size() >= kMostOrigins) return;
  const std::size_t elements = unwritten.size();
  const auto element_bytes = static_cast<std::size_t>(access.info->bytes_per_lane) / elements;
  while (loading_.size() < elements)
    loading_.push_back({0, new_origin({access.inst, false, element_bytes > 1 && whole == any, 0, {}, {}})});
  for (std::size_t element = 0; element < elements; ++element) {
    if (const auto earlier = kept_origin(access, unwritten[element], element))
      loading_[element].origin = *earlier;
    if (origins_[loading_[element].origin].inst != access.inst) {
      loading_[element].lanes |= unwritten[element];
      continue;
    }
    Origin& origin = origins_[loading_[element].origin];
    origin.lanes = loading_[element].lanes |= unwritten[element];
    for (std::uint32_t left = unwritten[element]; left; left &= left - 1) {
      const int lane = std::countr_zero(left);
      origin.where[lane] =
          access.base + static_cast<std::uint64_t>(access.pattern->offset[lane]) + element * element_bytes;
    }
  }
  access.warp->holds_undefined = true;
}

UndefinedValues::Undefined UndefinedValues::shuffled(const ValueStep& step, const Inst* inst, Warp& warp) {
  const Undefined value = of(warp, step.from.at(0));
  const auto lane_of = [&](Slot slot, int lane) { return lanes_at<const std::uint32_t>(warp, slot)[lane]; };
  Origin origin{inst + 1, true, true, 0, {}, {}};
  std::uint32_t absent = 0, taken = 0;
  for (std::uint32_t left = warp.exec; left; left &= left - 1) {
    const int lane = std::countr_zero(left);
    const std::uint32_t from = source_lane(step.mode, static_cast<std::uint32_t>(lane),
                                           lane_of(step.distance, lane), lane_of(step.clamp, lane));
    const std::uint32_t mask = step.mask.bits ? lane_of(step.mask, lane) : kAllLanes;
    origin.where[lane] = from;
    origin.named[lane] = mask >> from & 1;
    if (!(warp.exec & mask & (1u << from)) && from != static_cast<std::uint32_t>(lane))
      absent |= 1u << lane;
    else
      taken |= (value.lanes >> from & 1) << lane;
  }
  if (absent == 0 || origins_.size() >= kMostOrigins) return {taken, value.origin};
  origin.lanes = absent;
  return {taken | absent, new_origin(origin)};
}

// ---- uses --------------------------------------------------------------------------------------------
// The lanes may have received the value from other lanes, by a shuffle; then a lane in which it arose is
// named.
void UndefinedValues::report(const Warp& warp, std::uint32_t number, std::uint32_t lanes) {
  const Origin& origin = origins_[number];
  const std::uint32_t own = lanes & origin.lanes;
  for (std::uint32_t left = own ? own : origin.lanes & -origin.lanes; left; left &= left - 1) {
    if (origin.is_shuffle)
      report_shuffle(warp, origin, std::countr_zero(left));
    else
      report_read(warp, origin, std::countr_zero(left));
  }
}

void UndefinedValues::report_read(const Warp& warp, const Origin& origin, int lane) {
  const Place place = place_of(*warp.launch, origin.where[lane]);
  log_->add(HazardKind::kUninitialisedRead, origin.inst->source, origin.inst->source, place.identity, [&] {
    Hazard hazard = hazard_at(origin.inst, warp, lane, HazardKind::kUninitialisedRead);
    hazard.address = origin.where[lane];
    hazard.buffer = place.name;
    hazard.what = msg::read_unwritten_by_thread(verb_of(AccessMode::kRead), place.element(1),
                                                Address{origin.where[lane]});
    hazard.fix = msg::advice_give_variable_a_value();
    return hazard;
  });
}

void UndefinedValues::report_shuffle(const Warp& warp, const Origin& origin, int lane) {
  log_->add(HazardKind::kBarrierDivergence, origin.inst->source, origin.inst->source, nullptr, [&] {
    Hazard hazard = hazard_at(origin.inst, warp, lane, HazardKind::kBarrierDivergence);
    const std::uint64_t from = origin.where[lane];
    hazard.what = origin.named[lane] ? msg::shuffle_lane_elsewhere(from) : msg::shuffle_lane_not_named(from);
    hazard.fix = msg::advice_shuffle_all_lanes();
    return hazard;
  });
}

const std::vector<std::uint32_t>& UndefinedValues::stored(const ObservedAccess& access) {
  stored_lanes_.clear();
  const std::uint32_t active = access.pattern->active;
  for (std::size_t element = 0; element < storing_.size(); ++element) {
    Undefined value = storing_[element];
    value.lanes &= active;
    const bool is_local = access.base - kLocalWindow < kWindowBytes;
    const bool is_shared = access.base - kSharedWindow < kWindowBytes;
    stored_lanes_.push_back(is_local ? value.lanes : 0);
    if (is_shared) carry(access, element, value);
    if (is_local) keep(access, element, value);
    if (is_local || is_shared || value.lanes == 0 || !origins_[value.origin].matters_when_stored) continue;
    report(*access.warp, value.origin, value.lanes);
  }
  storing_.clear();
  return stored_lanes_;
}

// ---- through local memory ----------------------------------------------------------------------------
namespace {

// A key with the thread's number (ten bits) above the byte offset in its local memory.
std::uint64_t key_of(const ObservedAccess& access, int lane, std::uint64_t byte) {
  const std::uint64_t thread = access.warp->index * kWarpSize + static_cast<std::uint32_t>(lane);
  return thread << 40 |
         (access.base - kLocalWindow + static_cast<std::uint64_t>(access.pattern->offset[lane]) + byte);
}

std::uint64_t bytes_of_element(const ObservedAccess& access) {
  return static_cast<std::uint64_t>(access.element_bytes());
}

}  // namespace

void UndefinedValues::keep(const ObservedAccess& access, std::size_t element, Undefined value) {
  for (std::uint32_t left = value.lanes; left && kept_.size() < kMostCarried; left &= left - 1)
    kept_[key_of(access, std::countr_zero(left), element * bytes_of_element(access))] = value.origin;
}

void UndefinedValues::forget_kept(const ObservedAccess& access) {
  for (std::uint32_t left = access.pattern->active; left; left &= left - 1)
    for (int byte = 0; byte < access.info->bytes_per_lane; ++byte)
      kept_.erase(key_of(access, std::countr_zero(left), static_cast<std::uint64_t>(byte)));
}

// The origin for the first of the lanes.
std::optional<std::uint32_t> UndefinedValues::kept_origin(const ObservedAccess& access, std::uint32_t lanes,
                                                          std::size_t element) const {
  if (kept_.empty() || lanes == 0) return std::nullopt;
  const auto found = kept_.find(key_of(access, std::countr_zero(lanes), element * bytes_of_element(access)));
  return found == kept_.end() ? std::nullopt : std::optional(found->second);
}

// ---- through shared memory ---------------------------------------------------------------------------
void UndefinedValues::carry(const ObservedAccess& access, std::size_t element, Undefined value) {
  if (value.lanes == 0 || carried_.size() >= kMostCarried) return;
  const std::size_t bytes = static_cast<std::size_t>(access.info->bytes_per_lane) / storing_.size();
  for (std::uint32_t left = value.lanes; left; left &= left - 1) {
    const std::uint64_t first = access.base + element * bytes +
                                static_cast<std::uint64_t>(access.pattern->offset[std::countr_zero(left)]);
    for (std::size_t byte = 0; byte < bytes; ++byte)
      carried_[first + byte] = {value.origin, access.warp->index};
  }
}

void UndefinedValues::touch_carried(const ObservedAccess& access) {
  for (std::uint32_t left = access.pattern->active; left; left &= left - 1) {
    const std::uint64_t first =
        access.base + static_cast<std::uint64_t>(access.pattern->offset[std::countr_zero(left)]);
    for (int byte = 0; byte < access.info->bytes_per_lane; ++byte) {
      const auto found = carried_.find(first + static_cast<std::uint64_t>(byte));
      if (found == carried_.end()) continue;
      if (access.reads() && access.info->computed_elements)
        report(block_->warps[found->second.warp], found->second.origin, 0);
      if (access.writes())
        carried_.erase(found);
      else
        break;
    }
  }
}

}  // namespace cudalab::vgpu
