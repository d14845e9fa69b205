// Draws which lanes of a warp access which bank of shared memory.
#include "lab/bank_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "core/text.h"

namespace cudalab::lab {
namespace {

constexpr std::uint32_t kWordBytes = vgpu::kBankBytes;
constexpr std::size_t kOldBanks = 16, kOldLanes = 16;
constexpr std::string_view kLaneNames = "0123456789abcdefghijklmnopqrstuv";

std::string heading(std::size_t label_width) {
  std::string line = fmt::format("{:<{}}", "bank", label_width);
  for (std::size_t bank = 0; bank < kBanks; ++bank)
    line += fmt::format("{:<2}", bank % 4 == 0 ? std::to_string(bank) : " ");
  return without_trailing_blanks(line);
}

std::string label_of(const BankPass& pass) {
  const bool is_whole_warp = pass.first_lane == 0 && pass.last_lane == kLanes - 1;
  const std::string lanes =
      is_whole_warp ? "" : fmt::format("lanes {}-{}, ", pass.first_lane, pass.last_lane);
  return fmt::format("{}wavefront {}", lanes, pass.number);
}

std::string line_of(const BankPass& pass, std::size_t label_width) {
  std::string line = fmt::format("{:<{}}", label_of(pass), label_width);
  for (const std::vector<std::size_t>& lanes : pass.lanes) {
    line += lanes.empty() ? '.' : kLaneNames[lanes.front()];
    line += lanes.size() > 1 ? '+' : ' ';
  }
  return without_trailing_blanks(line);
}

}  // namespace

std::vector<BankPass> passes_of(const SharedRead& read) {
  std::array<std::uint64_t, kLanes> addresses;
  std::copy(read.address.begin(), read.address.end(), addresses.begin());
  return vgpu::bank_passes({.addresses = addresses, .bytes_per_lane = static_cast<int>(read.bytes)},
                           vgpu::SharedAccess::kLoad);
}

std::vector<std::string> bank_picture(const SharedRead& read) {
  const std::vector<BankPass> passes = passes_of(read);
  std::size_t label_width = 0;
  for (const BankPass& pass : passes) label_width = std::max(label_width, label_of(pass).size() + 2);
  std::vector<std::string> lines{heading(label_width)};
  for (const BankPass& pass : passes) lines.push_back(line_of(pass, label_width));
  return lines;
}

std::size_t ways_by_the_old_rule(const SharedRead& read) {
  std::size_t most = 1;
  for (std::size_t first = 0; first < kLanes; first += kOldLanes) {
    std::map<std::size_t, std::set<std::uint32_t>> addresses;  // by bank
    for (std::size_t lane = first; lane < first + kOldLanes; ++lane)
      for (std::uint32_t at = read.address[lane]; at < read.address[lane] + read.bytes;
           at += std::min(read.bytes, kWordBytes))
        addresses[at / kWordBytes % kOldBanks].insert(at);
    for (const auto& [bank, of_bank] : addresses) most = std::max(most, of_bank.size());
  }
  return most;
}

}  // namespace cudalab::lab
