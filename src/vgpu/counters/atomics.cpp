#include <algorithm>
#include <array>
#include <bit>

#include "vgpu/counters/access_costs.h"
#include "vgpu/warp_shape.h"

namespace cudalab::vgpu {
namespace {

using UpdatedPlaces = std::array<std::uint64_t, kWarpSize>;
constexpr std::uint32_t kPassesOfASwap = 2;

// The lanes that still update after the warp has elected some.
std::uint32_t updating_lanes(AtomicForm form, std::uint32_t active) {
  const bool one = form.election == AtomicForm::Election::kAlways ||
                   (form.election == AtomicForm::Election::kFullWarp && active == kAllLanes);
  return one ? active & (0 - active) : active;
}

std::uint32_t lanes_of_group(int first, int count) {
  return static_cast<std::uint32_t>(((std::uint64_t{1} << count) - 1) << first);
}

// ---- global ------------------------------------------------------------------------------------------
AccessCost sectors_of(const WarpAccess& access, std::uint32_t transactions) {
  const std::uint32_t bytes = count_distinct_bytes(access);
  return {transactions, (bytes + kSectorBytes - 1) / kSectorBytes, bytes};
}

// Removes one lane per address from the remaining lanes.
std::uint32_t without_first_at_each(const UpdatedPlaces& addresses, std::uint32_t left) {
  std::uint32_t waiting = 0;
  for_each_lane(left, [&](int lane) {
    for_each_lane(left & ((1u << lane) - 1), [&](int earlier) {
      if (addresses[earlier] == addresses[lane]) waiting |= 1u << lane;
    });
  });
  return waiting;
}

UpdatedPlaces words_updated(const WarpAccess& access) {
  UpdatedPlaces words;
  std::transform(access.addresses.begin(), access.addresses.end(), words.begin(),
                 [](std::uint64_t address) { return address & ~std::uint64_t{kBankBytes - 1}; });
  return words;
}

// A 2-byte element is swapped as part of its word, which is loaded first. If lanes change the same word, only
// one of them succeeds per round and the others try again.
AccessCost global_half_word_cost(const WarpAccess& access, bool again) {
  const UpdatedPlaces words = words_updated(access);
  const WarpAccess whole{words, access.active, kBankBytes};
  AccessCost cost = sectors_of(access, 0);
  cost.requests = 0;
  for (std::uint32_t left = access.active; left; left = again ? without_first_at_each(words, left) : 0) {
    ++cost.requests;
    cost.transactions += count_packet_sectors({words, left, kBankBytes}, true);
  }
  const SectorCount loaded = count_sectors(whole);
  cost.loads = {1, loaded.sectors, (loaded.distinct_bytes + kSectorBytes - 1) / kSectorBytes,
                loaded.distinct_bytes};
  return cost;
}

// ---- shared ------------------------------------------------------------------------------------------
std::uint32_t bank_hit(std::uint64_t address) {
  return static_cast<std::uint32_t>(address / kBankBytes % kBanks);
}

// A bank serves one lane at a time. Wide elements are aligned, so their first words decide.
AccessCost lane_by_lane(const UpdatedPlaces& addresses, std::uint32_t active, int bytes) {
  const int lanes = lanes_served_together(bytes);
  AccessCost cost;
  for (int first = 0; first < kWarpSize; first += lanes) {
    std::array<std::uint32_t, kBanks> queue{};
    for_each_lane(active & lanes_of_group(first, lanes),
                  [&](int lane) { ++queue[bank_hit(addresses[lane])]; });
    const std::uint32_t longest = *std::max_element(queue.begin(), queue.end());
    cost.transactions += longest;
    cost.fewest += longest > 0;
  }
  return cost;
}

AccessCost twice(AccessCost cost) {
  cost.transactions *= kPassesOfASwap;
  cost.fewest *= kPassesOfASwap;
  return cost;
}

LoadCost& operator+=(LoadCost& to, const WavefrontCount& load) {
  ++to.requests;
  to.transactions += load.wavefronts;
  to.fewest += load.groups;
  return to;
}

// One compare-and-swap of the loop: per bank and group, the first lane is served. It succeeds unless a lane
// of an earlier group has changed the word since both loaded it.
std::uint32_t left_after_swap(const UpdatedPlaces& addresses, std::uint32_t left, int lanes) {
  UpdatedPlaces changed;
  auto end = changed.begin();
  for (int first = 0; first < kWarpSize; first += lanes) {
    std::uint32_t busy = 0;
    for_each_lane(left & lanes_of_group(first, lanes), [&](int lane) {
      const std::uint32_t bank = 1u << bank_hit(addresses[lane]);
      if (busy & bank) return;
      busy |= bank;
      if (std::find(changed.begin(), end, addresses[lane]) != end) return;
      *end++ = addresses[lane];
      left &= ~(1u << lane);
    });
  }
  return left;
}

std::uint32_t groups_with_lanes(std::uint32_t active, int lanes) {
  std::uint32_t groups = 0;
  for (int first = 0; first < kWarpSize; first += lanes)
    groups += (active & lanes_of_group(first, lanes)) != 0;
  return groups;
}

AccessCost swap_loop_cost(const UpdatedPlaces& addresses, const WarpAccess& access) {
  const int lanes = lanes_served_together(access.bytes_per_lane);
  AccessCost cost;
  cost.fewest = kPassesOfASwap * groups_with_lanes(access.active, lanes);
  for (std::uint32_t left = access.active; left; left = left_after_swap(addresses, left, lanes)) {
    cost.loads += count_wavefronts({addresses, left, access.bytes_per_lane}, SharedAccess::kLoad);
    cost.transactions += kPassesOfASwap * groups_with_lanes(left, lanes);
  }
  return cost;
}

AccessCost shared_half_word_cost(const WarpAccess& access, bool again) {
  const UpdatedPlaces words = words_updated(access);
  AccessCost cost;
  cost.loads += count_wavefronts({words, access.active, kBankBytes}, SharedAccess::kLoad);
  for (std::uint32_t left = access.active; left; left = again ? without_first_at_each(words, left) : 0)
    cost.transactions += twice(lane_by_lane(words, left, kBankBytes)).transactions;
  cost.fewest = kPassesOfASwap;
  return cost;
}

AccessCost shared_cost(AtomicForm form, const WarpAccess& access) {
  UpdatedPlaces addresses;
  std::copy(access.addresses.begin(), access.addresses.end(), addresses.begin());
  const AccessCost plain = lane_by_lane(addresses, access.active, access.bytes_per_lane);
  switch (form.instruction) {
    case AtomicForm::Instruction::kPlain: break;
    case AtomicForm::Instruction::kCountLanes: {
      const WavefrontCount count = count_wavefronts(access, SharedAccess::kStore);
      return {count.wavefronts, count.groups};
    }
    case AtomicForm::Instruction::kSwap: return twice(plain);
    case AtomicForm::Instruction::kSwapLoop: return swap_loop_cost(addresses, access);
    case AtomicForm::Instruction::kHalfWordLoop: return shared_half_word_cost(access, true);
    case AtomicForm::Instruction::kHalfWordSwap: return shared_half_word_cost(access, false);
  }
  return plain;
}

}  // namespace

AccessCost global_atomic_cost(AtomicForm form, const WarpAccess& access) {
  const WarpAccess updating{access.addresses, updating_lanes(form, access.active), access.bytes_per_lane};
  if (form.instruction == AtomicForm::Instruction::kHalfWordLoop)
    return global_half_word_cost(updating, true);
  if (form.instruction == AtomicForm::Instruction::kHalfWordSwap)
    return global_half_word_cost(updating, false);
  const bool swaps = form.instruction == AtomicForm::Instruction::kSwap;
  return sectors_of(updating, count_packet_sectors(updating, swaps));
}

AccessCost shared_atomic_cost(AtomicForm form, const WarpAccess& access) {
  const WarpAccess updating{access.addresses, updating_lanes(form, access.active), access.bytes_per_lane};
  AccessCost cost = shared_cost(form, updating);
  cost.distinct_bytes = count_distinct_bytes(updating);
  return cost;
}

}  // namespace cudalab::vgpu
