#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "vgpu/counters/access_costs.h"
#include "vgpu/levels.h"

namespace cudalab::vgpu {
namespace {

constexpr bool is_active(const WarpAccess& access, int lane) { return access.active >> lane & 1; }

// Whether every active lane accesses the same address as its partner (lane ^ distance), if both are active.
bool lanes_pair_up(const WarpAccess& access, int distance) {
  for (int lane = 0; lane < kWarpSize; ++lane) {
    const int partner = lane ^ distance;
    if (is_active(access, lane) && is_active(access, partner) &&
        access.addresses[lane] != access.addresses[partner])
      return false;
  }
  return true;
}

// Distinct words of a group in its fullest bank: the group's cost.
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

// One byte-wide counter per bank. Row b adds 1 to bank b; the last row adds nothing.
using BankCounters [[gnu::vector_size(kBanks)]] = std::uint8_t;
constexpr int kNoBank = kBanks;
struct alignas(kBanks) BankRow {
  std::array<std::uint8_t, kBanks> counts;
};
constexpr std::array<BankRow, kBanks + 1> kRowOfBank = [] {
  std::array<BankRow, kBanks + 1> rows{};
  for (std::size_t bank = 0; bank < kBanks; ++bank) rows[bank].counts[bank] = 1;
  return rows;
}();

// The same for elements that lie in one word or fill several: their first words decide. Adding a whole row
// per lane avoids store-to-load dependencies, which incrementing counters in memory would have.
CUDALAB_EACH_LEVEL std::uint32_t busiest_of_group(const std::uint64_t* addresses, std::uint32_t lanes) {
  std::array<std::uint32_t, kWarpSize> bank;
  for (int lane = 0; lane < kWarpSize; ++lane)
    bank[lane] =
        (lanes >> lane & 1) ? static_cast<std::uint32_t>(addresses[lane] / kBankBytes % kBanks) : kNoBank;
  BankCounters queue{};
  for (int lane = 0; lane < kWarpSize; ++lane) {
    BankCounters row;
    std::memcpy(&row, &kRowOfBank[bank[lane]], sizeof row);
    queue += row;
  }
  std::uint8_t longest = 0;
  for (int b = 0; b < kBanks; ++b) longest = std::max<std::uint8_t>(longest, queue[b]);
  return longest;
}

constexpr std::uint32_t neighbours(int first, int count) {
  return static_cast<std::uint32_t>(((std::uint64_t{1} << count) - 1) << first);
}

}  // namespace

int lanes_per_group(const WarpAccess& access, SharedAccess kind) {
  const int unmerged = lanes_served_together(access.bytes_per_lane);
  if (unmerged == kWarpSize || kind == SharedAccess::kStore) return unmerged;
  return lanes_pair_up(access, 1) || lanes_pair_up(access, 2) ? 2 * unmerged : unmerged;
}

WavefrontCount count_wavefronts(const WarpAccess& access, SharedAccess kind) {
  const int lanes = lanes_per_group(access, kind);
  const auto unit_bytes = static_cast<unsigned>(std::max(access.bytes_per_lane, kBankBytes));
  LaneUnits units;
  const bool are_units = access.active != 0 && std::has_single_bit(unit_bytes) &&
                         lanes_are_aligned(access, static_cast<unsigned>(access.bytes_per_lane)) &&
                         number_units(access, std::countr_zero(unit_bytes), units);
  const std::uint32_t firsts = are_units ? first_lanes(units, lanes) : 0;
  WavefrontCount result;
  for (int first = 0; first < kWarpSize; first += lanes) {
    const std::uint32_t cost =
        are_units ? busiest_of_group(access.addresses.data(), firsts & neighbours(first, lanes))
                  : busiest_bank(access, first, lanes);
    result.wavefronts += cost;
    result.groups += cost > 0;
  }
  const bool is_whole =
      are_units && lanes == kWarpSize && access.bytes_per_lane == static_cast<int>(unit_bytes);
  result.distinct_bytes = is_whole ? static_cast<std::uint32_t>(std::popcount(firsts)) * unit_bytes
                                   : count_distinct_bytes(access);
  return result;
}

}  // namespace cudalab::vgpu
