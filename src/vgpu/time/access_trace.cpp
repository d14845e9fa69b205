#include "vgpu/time/access_trace.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "vgpu/block.h"
#include "vgpu/time/touched_lanes.h"

namespace cudalab::vgpu {
namespace {

constexpr int kSectorsShift = 5;
constexpr std::uint64_t kLinesOfPiece = 2;
constexpr std::size_t kLinesUntilLook = 2048;

// Each part of the L2 holds runs of 512 contiguous bytes.
std::uint32_t cell_of(std::uint64_t line) {
  constexpr int kLinesOfPart = 4;
  return line / kLinesOfPart * 0x9E3779B97F4A7C15ull >> 52;
}

Touch touch_of(const SiteInfo& info) {
  switch (info.kind) {
    case SiteKind::kGlobalStore:
    case SiteKind::kLocalStore: return Touch::kStore;
    case SiteKind::kGlobalAtomic:
    case SiteKind::kGlobalReduction: return Touch::kAtomic;
    default: return info.passes_l1 || info.volatile_or_atomic ? Touch::kLoadPastL1 : Touch::kLoad;
  }
}

bool is_in_local(SiteKind kind) { return kind == SiteKind::kLocalLoad || kind == SiteKind::kLocalStore; }
bool is_in_shared(SiteKind kind) {
  return kind == SiteKind::kSharedLoad || kind == SiteKind::kSharedStore || kind == SiteKind::kSharedAtomic ||
         kind == SiteKind::kAsyncStore || kind == SiteKind::kConstantLoad;
}

// Instructions that the warp has executed so far.
std::uint32_t clock_of(const Warp& warp) { return static_cast<std::uint32_t>(warp.clock - warp.budget); }

// The sectors of a line that [first, last] covers; both addresses lie in that line.
std::uint32_t sectors_between(std::uint64_t first, std::uint64_t last) {
  const auto low = static_cast<std::uint32_t>(first >> kSectorsShift & 3),
             high = static_cast<std::uint32_t>(last >> kSectorsShift & 3);
  return ((2u << high) - 1) & ~((1u << low) - 1);
}

// The part of the sectors that the lanes touch. Lanes are added one by one.
class TouchedPart {
 public:
  void add(std::uint64_t address, std::uint64_t bytes) {
    if (bytes_ == 0) first_ = address;
    differing_ |= address ^ first_;
    bytes_ += bytes;
  }
  std::uint32_t of(std::uint32_t sectors) const {
    constexpr std::uint64_t kWordOfSector = kSectorBytes - 4;
    if (bytes_ >= kSectorBytes * static_cast<std::uint64_t>(std::popcount(sectors))) return kWholeSectors;
    if (differing_ & kWordOfSector) return kSomeWords;
    return kFirstWord + static_cast<std::uint32_t>((first_ & kWordOfSector) / 4);
  }

 private:
  std::uint64_t first_ = 0, differing_ = 0, bytes_ = 0;
};

// The same for a contiguous span. For spans of a sector or more, partial sectors at the ends are ignored.
std::uint32_t part_of_span(std::uint64_t begin, std::uint64_t bytes) {
  return bytes >= kSectorBytes ? kWholeSectors
                               : kFirstWord + static_cast<std::uint32_t>(begin % kSectorBytes / 4);
}

// L1 wavefronts of a request: the number of words in its fullest bank.
std::uint32_t passes_of(const Pattern& pattern, std::uint64_t base, std::uint64_t bytes) {
  constexpr std::size_t kMostWords = 2;  // per lane and bank: 1, or 2 if the access is unaligned
  if (pattern.movement == Movement::kContiguousRows && pattern.row_lanes == kWarpSize) {
    const std::uint64_t words = (base + kWarpSize * bytes - 1) / 4 - base / 4 + 1;
    return static_cast<std::uint32_t>((words + kBanks - 1) / kBanks);
  }
  std::array<std::uint32_t, kBanks> words{};
  std::array<std::uint64_t, kBanks> highest{};
  std::array<std::array<std::uint64_t, kWarpSize * kMostWords>, kBanks> of_bank;
  for (std::uint32_t left = pattern.active; left; left &= left - 1) {
    const std::uint64_t address = base + static_cast<std::uint64_t>(pattern.offset[std::countr_zero(left)]),
                        last = address + bytes - 1;
    for (std::uint64_t word = address / 4; word <= last / 4; ++word) {
      auto& known = of_bank[word % kBanks];
      std::uint32_t& count = words[word % kBanks];
      std::uint64_t& highest_word = highest[word % kBanks];
      const bool is_new = word > highest_word ||  // the common case
                          std::find(known.begin(), known.begin() + count, word) == known.begin() + count;
      if (is_new) known[count++] = word;
      highest_word = std::max(highest_word, word);
    }
  }
  return std::ranges::max(words);
}

}  // namespace

AccessTrace::TracedSite AccessTrace::traced_site(const SiteInfo& info) {
  const Place place = is_in_local(info.kind)    ? Place::kLocal
                      : is_in_shared(info.kind) ? Place::kElsewhere
                                                : Place::kGlobal;
  const bool is_uncounted = info.merged_bytes == 0 && place == Place::kGlobal;
  return {
      .bytes = info.bytes_per_lane, .is_uncounted = is_uncounted, .touch = touch_of(info), .place = place};
}

AccessTrace::AccessTrace(std::uint32_t multiprocessors, std::span<const SiteInfo> sites, SharedSample& sample)
    : sample_(sample), next_look_(kLinesUntilLook) {
  for (const SiteInfo& site : sites) sites_.push_back(traced_site(site));
  balance_.of_multiprocessor.resize(multiprocessors);
}

void AccessTrace::go_on_with(std::uint64_t block) {
  blocks_.push_back({block, lines_.size()});
  noted_block_ = block;
  wide_of_block_ = 0;
}

void AccessTrace::begin_block(const Block& block, std::span<const BasicBlockCount> counts) {
  last_begun_ = block.launch->cluster.volume() > 1 ? kNobody : block.number;
  executed_before_.resize(counts.size());
  for (std::size_t i = 0; i < counts.size(); ++i) executed_before_[i] = counts[i].warps;
}

// Idle rounds of polling loops do not count as work of a warp.
void AccessTrace::end_block(const Block& block, std::span<const BasicBlockCount> counts) {
  const std::vector<Warp>& warps = block.warps;
  double longest = 0, instructions = 0;
  for (const Warp& warp : warps) {
    const std::int64_t idle = block.followed ? block.followed->warps[warp.index].idle : 0;
    const auto executed = static_cast<double>(warp.clock - warp.budget - idle);
    longest = std::max(longest, executed);
    instructions += executed;
  }
  LongestBlock now{.number = block.number, .longest_warp = longest, .instructions = instructions};
  if (now.comes_before(longest_block_)) {
    now.executions = executions_of(block, counts);
    longest_block_ = std::move(now);
  }
  balance_.instructions += instructions;
  ++balance_.blocks;
  balance_.warps += warps.size();
  balance_.longest_warps += longest;
  balance_.of_multiprocessor[block.number % balance_.of_multiprocessor.size()] += longest;
}

// Execution counts of `block`. They are known if the block ran alone since begin_block(), or if it has counts
// of its own.
std::vector<std::uint64_t> AccessTrace::executions_of(const Block& block,
                                                      std::span<const BasicBlockCount> counts) const {
  std::vector<std::uint64_t> executions;
  if (block.followed) {
    if (std::ranges::any_of(block.followed->warps, [](const auto& warp) { return warp.idle > 0; })) return {};
    executions.resize(counts.size());
    for (std::size_t i = 0; i < block.followed->counts.size(); ++i)
      executions[i % executions.size()] += block.followed->counts[i].warps;
  } else if (last_begun_ == block.number) {
    executions.resize(counts.size());
    for (std::size_t i = 0; i < counts.size(); ++i) executions[i] = counts[i].warps - executed_before_[i];
  }
  return executions;
}

void AccessTrace::note(std::uint64_t line, std::uint32_t sectors, std::uint32_t part) {
  ++touches().lines;
  touches().pieces += line / kLinesOfPiece != last_piece_;
  last_piece_ = line / kLinesOfPiece;
  if (is_sampled(line, mask_)) keep(line, sectors, part);
}

[[gnu::always_inline]] inline void AccessTrace::keep(std::uint64_t line, std::uint32_t sectors,
                                                     std::uint32_t part) {
  lines_.push_back({.line = line,
                    .warp = request_.warp,
                    .clock = request_.clock,
                    .site = request_.number & 0x3fffff,
                    .sectors = sectors & 15,
                    .touch = static_cast<std::uint32_t>(request_.site->touch) & 3,
                    .part = part & 15});
  if (lines_.size() == next_look_) [[unlikely]]
    tell_and_raise_level();
}

std::span<const TouchedLine> AccessTrace::lines_of(const TracedBlock& block) const {
  const bool is_last = &block == &blocks_.back();
  const std::size_t end = is_last ? lines_.size() : (&block + 1)->begin;
  return std::span(lines_).subspan(block.begin, end - block.begin);
}

void AccessTrace::tell_and_raise_level() {
  for (int level; (level = sample_.add(level_, lines_.size() - told_, lines_)) > level_;) {
    level_ = level;
    mask_ = sampling_mask(level);
    drop_what_is_not_sampled();
    told_ = 0;
  }
  told_ = lines_.size();
  next_look_ = lines_.size() + std::max(kLinesUntilLook, lines_.size() / 4);
}

// About half of the lines are dropped. The loop has no branch, because that branch would be unpredictable.
void AccessTrace::drop_what_is_not_sampled() {
  std::size_t kept = 0, i = 0;
  for (std::size_t block = 0; block < blocks_.size(); ++block) {
    const std::size_t end = i + lines_of(blocks_[block]).size();
    blocks_[block].begin = kept;
    for (; i < end; ++i) {
      const TouchedLine line = lines_[i];
      lines_[kept] = line;
      kept += is_sampled(line.line, mask_);
    }
  }
  lines_.resize(kept);
}

// Neighbouring lanes that access the same line make one touch.
void AccessTrace::add_lanes(const Pattern& pattern, std::uint64_t base, int bytes) {
  const auto width = static_cast<std::uint64_t>(bytes);
  if (pattern.movement == Movement::kContiguousRows)
    return add_rows(pattern, base, width * static_cast<std::uint64_t>(pattern.row_lanes));
  if (pattern.movement == Movement::kUniformRows && request_.site->touch != Touch::kStore)
    return add_rows(pattern, base, width);
  const TouchedLanes lanes = touched_lanes(pattern, base, mask_);
  touches().lines += lanes.lines;
  touches().pieces += lanes.pieces;
  const auto address_of = [&](int lane) { return base + static_cast<std::uint64_t>(pattern.offset[lane]); };
  if (request_.site->touch == Touch::kStore)
    for (std::uint32_t left = lanes.begins; left; left &= left - 1)
      ++store_cells_[cell_of(address_of(std::countr_zero(left)) >> kLineShift)];
  for (std::uint32_t left = lanes.sampled; left; left &= left - 1) {
    const std::uint32_t first = left & -left, next = lanes.begins & ~(2 * first - 1);
    const std::uint32_t own = pattern.active & ((next & -next) - first);  // lanes up to the next touch
    std::uint32_t sectors = 0;
    TouchedPart part;
    for (std::uint32_t lane = own; lane; lane &= lane - 1) {
      const std::uint64_t begin = address_of(std::countr_zero(lane));
      sectors |= sectors_between(begin, begin + width - 1);  // all in one line
      part.add(begin, width);
    }
    const std::uint64_t line = address_of(std::countr_zero(own)) >> kLineShift;
    if (is_sampled(line, mask_)) keep(line, sectors, part.of(sectors));  // the level may have risen since
  }
}

// Contiguous bytes, which may extend over several lines.
void AccessTrace::add_span(std::uint64_t begin, std::uint64_t end) {
  const std::uint64_t first = begin >> kLineShift, last = (end - 1) >> kLineShift;
  touches().lines += last - first + 1;
  touches().pieces += last / kLinesOfPiece - first / kLinesOfPiece + 1;
  for (std::uint64_t line = first; line <= last; ++line)
    if (is_sampled(line, mask_))
      keep(line,
           sectors_between(std::max(begin, line << kLineShift), std::min(end, (line + 1) << kLineShift) - 1),
           part_of_span(begin, end - begin));
}

// Rows of lanes that access contiguous bytes, or all the same bytes.
void AccessTrace::add_rows(const Pattern& pattern, std::uint64_t base, std::uint64_t row_bytes) {
  if (pattern.row_lanes == kWarpSize) return add_span(base, base + row_bytes);
  struct {
    std::uint64_t line = ~0ull;
    std::uint32_t sectors = 0;
    TouchedPart part;
  } last;
  for (int lane = 0; lane < kWarpSize; lane += pattern.row_lanes) {
    std::uint64_t at = base + static_cast<std::uint64_t>(pattern.offset[lane]);
    for (const std::uint64_t end = at + row_bytes; at < end; at = (at | (kLineBytes - 1)) + 1) {
      if (at >> kLineShift != last.line) {
        if (last.sectors) note(last.line, last.sectors, last.part.of(last.sectors));
        last = {at >> kLineShift, 0, {}};
      }
      const std::uint64_t until = std::min(end - 1, at | (kLineBytes - 1));
      last.sectors |= sectors_between(at, until);
      last.part.add(at, until + 1 - at);
    }
  }
  note(last.line, last.sectors, last.part.of(last.sectors));
}

// In local memory, the GPU interleaves the threads of a warp: the same word of 32 threads fills one line.
void AccessTrace::add_local(const Warp& warp, const Pattern& pattern, std::uint64_t offset, int bytes) {
  const std::uint64_t words = warp.local_bytes / 4 + 1;
  const std::uint64_t first_line =
      kFirstLocalLine + (warp.block->number * warp.block->warps.size() + warp.index) * words;
  const auto lines_at = [&](std::int64_t lane_offset, std::uint32_t sectors, std::uint32_t part) {
    const std::uint64_t word = (offset + static_cast<std::uint64_t>(lane_offset)) / 4;
    for (std::uint64_t i = 0; i < static_cast<std::uint64_t>(bytes + 3) / 4; ++i)
      note(first_line + word + i, sectors, part);
  };
  if (pattern.movement == Movement::kUniformRows && pattern.row_lanes == kWarpSize)
    return lines_at(0, 15, kWholeSectors);
  std::int64_t last = pattern.offset[std::countr_zero(pattern.active)];
  std::uint32_t sectors = 0;
  TouchedPart part;
  for (std::uint32_t left = pattern.active; left; left &= left - 1) {
    const int lane = std::countr_zero(left);
    if (pattern.offset[lane] != last) {
      lines_at(last, sectors, part.of(sectors));
      last = pattern.offset[lane], sectors = 0, part = {};
    }
    sectors |= 1u << lane / 8;
    part.add(static_cast<std::uint64_t>(lane) * 4, 4);
  }
  lines_at(last, sectors, part.of(sectors));
}

// A part of the L2 updates one sector at a time, once per lane on the most contended word of the sector.
void AccessTrace::count_atomics(const Pattern& pattern, std::uint64_t base, int bytes) {
  constexpr int kPartShift = 9;
  const std::uint64_t low = base + static_cast<std::uint64_t>(pattern.low),
                      high = base + static_cast<std::uint64_t>(pattern.high) - 1;
  if (low >> kPartShift == high >> kPartShift) {
    const std::uint32_t cell = cell_of(low >> kLineShift);
    atomic_cells_[cell] += pattern.transactions;
    if (high - low >= static_cast<std::uint64_t>(bytes)) return;
    auto& [last, before] = last_words_[cell];
    if (last == 0 || last == low || before == low) word_cells_[cell] += pattern.transactions;
    if (last != low) before = std::exchange(last, low);
    return;
  }
  std::uint64_t before = ~0ull;
  for (std::uint32_t left = pattern.active; left; left &= left - 1) {
    const std::uint64_t address = base + static_cast<std::uint64_t>(pattern.offset[std::countr_zero(left)]);
    if (address == before || address >> kSectorsShift != before >> kSectorsShift)
      ++atomic_cells_[cell_of(address >> kLineShift)];
    before = address;
  }
}

// A load reads the L1 data banks like shared memory: one wavefront per word in the fullest bank. Wavefronts
// are counted for the first multi-line request of each block and for 1 in 16 of the others.
void AccessTrace::count_passes(const Pattern& pattern, std::uint64_t base, int bytes) {
  constexpr std::uint32_t kFirst = 1;
  constexpr int kOneOfBits = 4;
  ++touches().wide;
  const std::uint64_t when =
      (noted_block_ << 42 | request_.warp << 32 | request_.clock) * 0x9E3779B97F4A7C15ull;
  if (wide_of_block_++ >= kFirst && when >> (64 - kOneOfBits) != 0) return;
  ++touches().tried;
  touches().passes += passes_of(pattern, base, static_cast<std::uint64_t>(bytes));
}

[[gnu::always_inline]] inline void AccessTrace::begin_request(const Warp& warp, std::size_t site) {
  if (warp.block->number != noted_block_) go_on_with(warp.block->number);
  request_ = {&sites_[site], warp.index & 0x3ff, clock_of(warp), static_cast<std::uint32_t>(site)};
  last_piece_ = ~0ull;
}

void AccessTrace::add(const Warp& warp, const SiteState& site, const Pattern& pattern, std::uint64_t base) {
  const auto number = static_cast<std::size_t>(&site - warp.sites);
  const TracedSite& asks = sites_[number];
  if (asks.place == Place::kElsewhere || pattern.active == 0) return;
  if (hand_overs_ && asks.place == Place::kGlobal && hand_overs_->access(warp, site, pattern, base)) return;
  begin_request(warp, number);
  if (asks.is_uncounted) {
    ++touches().requests;
    touches().bytes +=
        static_cast<std::uint64_t>(std::popcount(pattern.active)) * static_cast<std::uint64_t>(asks.bytes);
  }
  if (asks.touch == Touch::kAtomic) count_atomics(pattern, base, asks.bytes);
  if (asks.place == Place::kLocal) return add_local(warp, pattern, base, asks.bytes);
  const std::uint64_t lines = asks.touches.lines;
  add_lanes(pattern, base, asks.bytes);
  const bool is_load = asks.touch == Touch::kLoad || asks.touch == Touch::kLoadPastL1;
  if (is_load && asks.touches.lines - lines > 1) count_passes(pattern, base, asks.bytes);
}

// Neighbouring lanes often read the same line. Other repeats are found in a small direct-mapped table of
// recent lines.
void AccessTrace::add_texels(const Warp& warp, const SiteState& site) {
  constexpr std::size_t kRemembered = 16;
  struct {
    std::uint64_t line = ~0ull;
    std::uint32_t sectors = 0;
  } known[kRemembered];
  begin_request(warp, static_cast<std::size_t>(&site - warp.sites));
  for (std::size_t i = 0; i < texels_.size();) {
    const std::uint64_t line = texels_[i] >> kLineShift;
    std::uint32_t sectors = 0;
    for (; i < texels_.size() && texels_[i] >> kLineShift == line; ++i)
      sectors |= 1u << (texels_[i] >> kSectorsShift & 3);
    auto& place = known[line % kRemembered];
    if (place.line != line) {
      if (place.sectors) note(place.line, place.sectors);
      place = {line, 0};
    }
    const std::uint32_t more = sectors & ~place.sectors;  // bits of the four sectors
    texture_sectors_ += (more & 1) + (more >> 1 & 1) + (more >> 2 & 1) + (more >> 3);
    place.sectors |= sectors;
  }
  for (const auto& place : known)
    if (place.sectors) note(place.line, place.sectors);
}

}  // namespace cudalab::vgpu
