// Counts distinct words in each bank.
#include "report/text/bank_pattern.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <set>

#include "vgpu/warp_shape.h"

namespace cudalab::report {

using vgpu::kBanks;
constexpr int kWordBytes = vgpu::kBankBytes;

BankPattern bank_pattern(std::int64_t stride_bytes, int bytes_per_lane, int lanes) {
  std::array<std::set<std::int64_t>, kBanks> words_of_bank;
  for (int lane = 0; lane < lanes; ++lane) {
    std::int64_t first = lane * std::abs(stride_bytes);
    for (std::int64_t byte = first; byte < first + bytes_per_lane; byte += kWordBytes)
      words_of_bank[static_cast<std::size_t>(byte / kWordBytes % kBanks)].insert(byte / kWordBytes);
  }
  BankPattern pattern{.lanes = lanes};
  for (const auto& words : words_of_bank) {
    pattern.banks += !words.empty();
    pattern.passes = std::max(pattern.passes, static_cast<int>(words.size()));
  }
  return pattern;
}

}  // namespace cudalab::report
