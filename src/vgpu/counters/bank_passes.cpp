// Hands out the words of each bank, one a pass.
#include "vgpu/counters/bank_passes.h"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace cudalab::vgpu {
namespace {

// The words that some lanes want of each bank, in the order of the first lane that wants them.
using WordsOfABank = std::vector<std::pair<std::uint64_t, std::vector<std::size_t>>>;

std::array<WordsOfABank, kBanks> wanted(const WarpAccess& access, std::size_t first, std::size_t count) {
  std::array<WordsOfABank, kBanks> banks;
  const auto bytes = static_cast<std::uint64_t>(access.bytes_per_lane);
  for (std::size_t lane = first; lane < first + count; ++lane) {
    if (!(access.active >> lane & 1)) continue;
    const std::uint64_t begin = access.addresses[lane] / kBankBytes,
                        end = (access.addresses[lane] + bytes - 1) / kBankBytes;
    for (std::uint64_t word = begin; word <= end; ++word) {
      WordsOfABank& words = banks[word % kBanks];
      auto found = std::find_if(words.begin(), words.end(), [&](auto& entry) { return entry.first == word; });
      if (found == words.end()) found = words.insert(found, {word, {}});
      found->second.push_back(lane);
    }
  }
  return banks;
}

}  // namespace

std::vector<BankPass> bank_passes(const WarpAccess& access, SharedAccess kind) {
  std::vector<BankPass> passes;
  const auto together = static_cast<std::size_t>(lanes_per_group(access, kind));
  for (std::size_t first = 0; first < kWarpSize; first += together) {
    const std::array<WordsOfABank, kBanks> banks = wanted(access, first, together);
    std::size_t most = 0;
    for (const WordsOfABank& words : banks) most = std::max(most, words.size());
    for (std::size_t number = 0; number < most; ++number) {
      BankPass& pass = passes.emplace_back(BankPass{first, first + together - 1, number + 1, {}});
      for (std::size_t bank = 0; bank < kBanks; ++bank)
        if (number < banks[bank].size()) pass.lanes[bank] = banks[bank][number].second;
    }
  }
  return passes;
}

}  // namespace cudalab::vgpu
