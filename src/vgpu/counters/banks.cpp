#include "vgpu/counters/banks.h"

#include <algorithm>
#include <array>
#include <bit>

namespace cudalab::vgpu {
namespace {

constexpr bool is_active(const WarpAccess& access, int lane) { return access.active >> lane & 1; }

// True when every active lane reads what its partner (lane ^ distance) reads, where both are active.
bool lanes_pair_up(const WarpAccess& access, int distance) {
  for (int lane = 0; lane < kWarpSize; ++lane) {
    const int partner = lane ^ distance;
    if (is_active(access, lane) && is_active(access, partner) &&
        access.addresses[lane] != access.addresses[partner])
      return false;
  }
  return true;
}

// The distinct words of a group, bank by bank: the longest queue is the group's cost.
std::uint32_t busiest_bank(const WarpAccess& access, int first_lane, int lanes) {
  std::array<std::uint64_t, kWarpSize * 4> words;
  int count = 0;
  for (int lane = first_lane; lane < first_lane + lanes; ++lane) {
    if (!is_active(access, lane)) continue;
    const std::uint64_t first = access.addresses[lane] / kBankBytes;
    const std::uint64_t last = (access.addresses[lane] + access.bytes_per_lane - 1) / kBankBytes;
    for (std::uint64_t word = first; word <= last; ++word) words[count++] = word;
  }
  std::sort(words.begin(), words.begin() + count);
  const auto end = std::unique(words.begin(), words.begin() + count);
  std::array<std::uint32_t, kBanks> queue{};
  std::for_each(words.begin(), end, [&](std::uint64_t word) { ++queue[word % kBanks]; });
  return *std::max_element(queue.begin(), queue.end());
}

}  // namespace

int lanes_per_group(const WarpAccess& access, SharedAccess kind) {
  const int unmerged = lanes_served_together(access.bytes_per_lane);
  if (unmerged == kWarpSize || kind == SharedAccess::kStore) return unmerged;
  return lanes_pair_up(access, 1) || lanes_pair_up(access, 2) ? 2 * unmerged : unmerged;
}

WavefrontCount count_wavefronts(const WarpAccess& access, SharedAccess kind) {
  const int lanes = lanes_per_group(access, kind);
  WavefrontCount result;
  for (int first = 0; first < kWarpSize; first += lanes) {
    const std::uint32_t cost = busiest_bank(access, first, lanes);
    result.wavefronts += cost;
    result.groups += cost > 0;
  }
  return result;
}

}  // namespace cudalab::vgpu
