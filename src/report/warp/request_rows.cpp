#include "report/warp/request_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>
#include <set>

#include "core/text.h"
#include "vgpu/counters/banks.h"

namespace cudalab::report {
namespace {

using vgpu::TracedAccess;

constexpr std::uint64_t kSectorBytes = 32, kWordBytes = vgpu::kBankBytes, kWords = kSectorBytes / kWordBytes;
constexpr std::size_t kSectorsARow = 4;
constexpr char kUntouched = '.', kPartly = '-';

std::vector<std::size_t> lanes_of(const TracedAccess& access) {
  std::vector<std::size_t> lanes;
  for (std::uint32_t left = access.lanes; left; left &= left - 1)
    lanes.push_back(static_cast<std::size_t>(std::countr_zero(left)));
  return lanes;
}

std::vector<std::string> at_most(std::vector<std::string> rows, std::size_t most, std::string_view what) {
  if (rows.size() <= most || most == 0) return rows;
  const std::size_t more = rows.size() - (most - 1);
  rows.resize(most - 1);
  rows.push_back(fmt::format("… and {}", counted(static_cast<double>(more), what)));
  return rows;
}

// ---- sectors -------------------------------------------------------------------------------------------
// A sector is eight characters, a word each: the lowest lane that touches it, or - where none touches all of
// it.
using Sectors = std::map<std::uint64_t, std::string>;

void touch(Sectors& sectors, std::uint64_t begin, std::uint64_t end, char glyph) {
  for (std::uint64_t word = begin / kWordBytes; word * kWordBytes < end; ++word) {
    std::string& sector = sectors.try_emplace(word / kWords, std::string(kWords, kUntouched)).first->second;
    const bool whole = begin <= word * kWordBytes && (word + 1) * kWordBytes <= end;
    char& cell = sector[word % kWords];
    if (cell == kUntouched || (cell == kPartly && whole)) cell = whole ? glyph : kPartly;
  }
}

std::vector<std::string> sector_rows(const TracedAccess& access) {
  Sectors sectors;
  for (const std::size_t lane : lanes_of(access))
    touch(sectors, access.address[lane], access.address[lane] + access.bytes, glyph_of_lane(lane));
  std::vector<std::string> rows;
  std::uint64_t last = 0;
  std::size_t in_row = kSectorsARow;
  for (const auto& [number, sector] : sectors) {
    if (in_row == kSectorsARow) rows.emplace_back(), in_row = 0;
    const bool follows = in_row > 0 && number == last + 1;
    rows.back() += fmt::format("{}{}", in_row == 0 ? "" : follows ? "|" : " ", sector);
    last = number;
    ++in_row;
  }
  return rows;
}

// ---- banks ---------------------------------------------------------------------------------------------
struct BankWord {
  std::uint64_t word;
  char glyph;
};

// Of lanes that are served together: a pass hands out one word of each bank.
std::vector<std::string> passes_of(const TracedAccess& access, const std::vector<std::size_t>& lanes) {
  std::array<std::vector<BankWord>, vgpu::kBanks> banks;
  for (const std::size_t lane : lanes)
    for (std::uint64_t at = access.address[lane]; at < access.address[lane] + access.bytes;
         at += kWordBytes) {
      const std::uint64_t word = at / kWordBytes;
      std::vector<BankWord>& bank = banks[word % vgpu::kBanks];
      if (std::ranges::find(bank, word, &BankWord::word) == bank.end())
        bank.push_back({word, glyph_of_lane(lane)});
    }
  std::size_t passes = 0;
  for (const auto& bank : banks) passes = std::max(passes, bank.size());
  std::vector<std::string> rows(passes, std::string(vgpu::kBanks, kUntouched));
  for (std::size_t bank = 0; bank < banks.size(); ++bank)
    for (std::size_t pass = 0; pass < banks[bank].size(); ++pass) rows[pass][bank] = banks[bank][pass].glyph;
  return rows;
}

std::vector<std::string> bank_rows(const TracedAccess& access) {
  const vgpu::WarpAccess asked{access.address, access.lanes, static_cast<int>(access.bytes)};
  const auto together = static_cast<std::size_t>(vgpu::lanes_per_group(
      asked, access.kind == AccessKind::kLoad ? vgpu::SharedAccess::kLoad : vgpu::SharedAccess::kStore));
  std::vector<std::string> rows;
  for (std::size_t first = 0; first < vgpu::kWarpSize; first += together) {
    std::vector<std::size_t> lanes = lanes_of(access);
    std::erase_if(lanes, [&](std::size_t lane) { return lane < first || lane >= first + together; });
    std::ranges::move(passes_of(access, lanes), std::back_inserter(rows));
  }
  return rows;
}

}  // namespace

char glyph_of_lane(std::size_t lane) { return "0123456789abcdefghijklmnopqrstuv"[lane % vgpu::kWarpSize]; }

std::string heading_of_request(const TracedAccess& access) {
  if (access.space == MemorySpace::kShared) return "0       8       16      24 banks";
  return "sectors of 32 bytes; .: in vain";
}

std::vector<std::string> request_rows(const TracedAccess& access, std::size_t most) {
  switch (access.space) {
    case MemorySpace::kShared: return at_most(bank_rows(access), most, "more row");
    case MemorySpace::kGlobal:
    case MemorySpace::kLocal: return at_most(sector_rows(access), most, "more row");
    default: return {};
  }
}

}  // namespace cudalab::report
