#include "vgpu/value_taps.h"

#include <bit>
#include <cstring>
#include <utility>

#include "vgpu/block.h"
#include "vgpu/memory/memory.h"
#include "vgpu/vgpu.h"

namespace cudalab::vgpu {

void ValueTaps::record() {
  passed_.clear();
  has_exchanged_.clear();
  last_ = nullptr;
  kept_ = 0;
  is_overfull_ = false;
  is_recording_ = true;
}

void ValueTaps::replay(std::vector<bool> statements) {
  replayed_ = std::move(statements);
  is_recording_ = false;
  for (auto& [place, passed] : passed_) passed.next = {};
}

ValueTaps::Passed& ValueTaps::at(std::uint32_t tap, const Warp& warp) {
  const Place place{tap, warp.block->number, warp.index};
  if (last_ && place == last_place_) return *last_;
  last_place_ = place;
  return *(last_ = &passed_[place]);
}

bool ValueTaps::yields_own_values(std::size_t statement) const {
  const auto found = has_exchanged_.find(statement);
  return found != has_exchanged_.end() && !found->second;
}

void ValueTaps::compare_with_own(std::uint32_t tap, const Warp& warp, std::size_t lane, std::uint64_t value) {
  if (tap % kTapsOfAStatement != 0) return;
  const auto own = passed_.find({tap + kOwnValue, warp.block->number, warp.index});
  if (own == passed_.end() || own->second.values[lane].empty()) return;
  has_exchanged_[tap / kTapsOfAStatement] |= own->second.values[lane].back() != value;
}

std::uint64_t ValueTaps::pass(std::uint32_t tap, const Warp& warp, int lane, std::uint64_t value) {
  const auto index = static_cast<std::size_t>(lane);
  const bool is_own = tap % kTapsOfAStatement == kOwnValue;
  if (is_own && is_recording_) at(tap, warp).values[index] = {value};
  if (is_own) return value;
  if (is_recording_) {
    compare_with_own(tap, warp, index, value);
    is_overfull_ |= kept_ >= kMostValues;
    if (!is_overfull_) at(tap, warp).values[index].push_back(value), ++kept_;
    return value;
  }
  const std::size_t statement = tap / kTapsOfAStatement;
  if (statement >= replayed_.size() || !replayed_[statement]) return value;
  Passed& passed = at(tap, warp);
  const std::uint32_t next = passed.next[index]++;
  return next < passed.values[index].size() ? passed.values[index][next] : value;
}

namespace {

// The lanes whose address is in shared memory.
std::uint32_t lanes_in_shared_memory(const Warp& warp, Slot addresses) {
  const std::uint64_t* address = lanes_at<const std::uint64_t>(warp, addresses);
  std::uint32_t inside = 0;
  for (int lane = 0; lane < kWarpSize; ++lane)
    inside |= (address[lane] - kSharedWindow < kWindowBytes ? 1u : 0u) << lane;
  return inside;
}

std::uint64_t value_of_lane(const std::byte* values, std::size_t bytes, int lane) {
  std::uint64_t value = 0;
  if (bytes == 0) {
    std::uint32_t bits = 0;
    std::memcpy(&bits, values, sizeof bits);
    return bits >> lane & 1;
  }
  std::memcpy(&value, values + bytes * static_cast<std::size_t>(lane), bytes);
  return value;
}

void set_value_of_lane(std::byte* values, std::size_t bytes, int lane, std::uint64_t value) {
  if (bytes > 0) {
    std::memcpy(values + bytes * static_cast<std::size_t>(lane), &value, bytes);
    return;
  }
  std::uint32_t bits = 0;
  std::memcpy(&bits, values, sizeof bits);
  bits = (bits & ~(1u << lane)) | static_cast<std::uint32_t>(value & 1) << lane;
  std::memcpy(values, &bits, sizeof bits);
}

}  // namespace

const Inst* tap_value(const Inst* inst, Warp& warp) {
  ValueTaps* const taps = warp.launch->request->taps;
  if (!taps) return inst + 1;
  const std::size_t bytes = inst->imm % kTapSizes;
  const auto tap = static_cast<std::uint32_t>(inst->imm / kTapSizes);
  auto* const values = lanes_at<std::byte>(warp, inst->d);
  std::uint32_t left = warp.exec;
  if (inst->b.bits) left &= lanes_in_shared_memory(warp, inst->b);
  for (; left; left &= left - 1) {
    const int lane = std::countr_zero(left);
    const std::uint64_t own = value_of_lane(values, bytes, lane);
    const std::uint64_t other = taps->pass(tap, warp, lane, own);
    if (other != own) set_value_of_lane(values, bytes, lane, other);
  }
  return inst + 1;
}

}  // namespace cudalab::vgpu
