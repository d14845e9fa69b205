// Notes which lines of memory the warps of a launch touch and when: those of a sample of all lines, so that
// the caches can be replayed afterwards (line_sample.h).
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "vgpu/hand_overs/hand_over_trace.h"
#include "vgpu/time/touched_lanes.h"
#include "vgpu/warp.h"

namespace cudalab::vgpu {

// What the requests of a site touch, sampled lines or not.
struct SiteTouches {
  std::uint64_t lines = 0;
  std::uint64_t pieces = 0;  // of 256 bytes, in the order of lanes
  // Requests for several lines; of some of those, how often the fullest bank of the L1 is read.
  std::uint64_t wide = 0, tried = 0, passes = 0;
};

// What a block touched in one go, up to where the next one begins: blocks that wait for others go on later.
struct TracedBlock {
  std::uint64_t number = 0;
  std::size_t begin = 0;  // in the lines
};

// How evenly the work is spread.
struct Balance {
  std::uint64_t blocks = 0, warps = 0;
  double instructions = 0;                // of all warps
  double longest_warps = 0;               // of the longest warp of each block, summed
  std::vector<double> of_multiprocessor;  // of its blocks' longest warps, by block number modulo their number
};

// The block whose longest warp executes most, the first of them by number.
struct LongestBlock {
  std::uint64_t number = 0;
  double longest_warp = 0, instructions = 0;  // of its longest warp, of all its warps
  std::vector<std::uint64_t> executions;      // of each basic block, by all its warps; or nothing
  bool comes_before(const LongestBlock& other) const {
    return longest_warp > other.longest_warp || (longest_warp == other.longest_warp && number < other.number);
  }
};

class AccessTrace {
 public:
  static constexpr std::size_t kAddressCells = 4096;

  // `sample`: of the launch, on all host threads.
  AccessTrace(std::uint32_t multiprocessors, std::span<const SiteInfo> sites, SharedSample& sample);
  // From now on, the waits of blocks for each other are followed.
  void follow(std::unique_ptr<HandOverTrace> hand_overs) { hand_overs_ = std::move(hand_overs); }
  HandOverTrace* hand_overs() const { return hand_overs_.get(); }
  void on(const BlockStart& event);
  void on(const BlockEnd& event);
  void on(const WholeAccess& event) { add(event.warp, event.site, event.pattern, event.base); }
  void on(const SplitAccess& event) { add(event.warp, event.site, event.pattern, event.base); }
  void on(const TexelReads& event);
  void on(const AwaitedResult& event);

  int level() const { return level_; }
  const std::vector<TouchedLine>& lines() const { return lines_; }
  const std::vector<TracedBlock>& blocks() const { return blocks_; }
  std::span<const TouchedLine> lines_of(const TracedBlock& block) const;
  const Balance& balance() const { return balance_; }
  const LongestBlock& longest_block() const { return longest_block_; }
  const std::array<std::uint32_t, kAddressCells>& atomic_cells() const { return atomic_cells_; }
  // Of these, atomics on one word that follow others on it, or on it and one more.
  const std::array<std::uint32_t, kAddressCells>& word_cells() const { return word_cells_; }
  double texture_sectors() const { return texture_sectors_; }
  // Stores that do not write rows, by the part of the L2 that holds what they write.
  const std::array<std::uint32_t, kAddressCells>& store_cells() const { return store_cells_; }
  const SiteTouches& touches_of(std::size_t site) const { return sites_[site].touches; }

 private:
  static constexpr std::uint64_t kNobody = ~0ull;
  enum class Place : std::uint8_t { kGlobal, kLocal, kElsewhere };
  struct TracedSite {
    SiteTouches touches;
    int bytes = 0;  // of a lane
    Touch touch{};
    Place place{};
  };
  // Who asks. Written and read word by word, since a touch's own fields share words.
  struct Request {
    TracedSite* site = nullptr;
    std::uint64_t warp = 0;
    std::uint32_t clock = 0, number = 0;  // of the site
  };
  static TracedSite traced_site(const SiteInfo& info);
  std::vector<std::uint64_t> executions_of(const Block& block, std::span<const BasicBlockCount> counts) const;
  void add(const Warp& warp, const SiteState& site, const Pattern& pattern, std::uint64_t base);
  void note(std::uint64_t line, std::uint32_t sectors, std::uint32_t part = kWholeSectors);
  void keep(std::uint64_t line, std::uint32_t sectors, std::uint32_t part);
  void go_on_with(std::uint64_t block);
  void begin_request(const Warp& warp, std::size_t site);
  void add_lanes(const Pattern& pattern, std::uint64_t base, int bytes);
  void add_span(std::uint64_t begin, std::uint64_t end);
  void add_rows(const Pattern& pattern, std::uint64_t base, std::uint64_t row_bytes);
  void add_local(const Warp& warp, const Pattern& pattern, std::uint64_t offset, int bytes);
  void count_atomics(const Pattern& pattern, std::uint64_t base, int bytes);
  void count_passes(const Pattern& pattern, std::uint64_t base, int bytes);
  SiteTouches& touches() { return request_.site->touches; }
  void tell_and_raise_level();
  void drop_what_is_not_sampled();

  int level_ = 0;
  std::uint64_t mask_ = 0;
  Request request_;
  SharedSample& sample_;
  std::vector<TouchedLine> lines_;
  std::size_t told_ = 0;   // of these, to the other host threads
  std::size_t next_look_;  // at so many lines, whether all together have too many
  std::vector<TracedBlock> blocks_;
  std::uint64_t noted_block_ = kNobody;  // the last of these
  Balance balance_;
  LongestBlock longest_block_;
  // By basic block, when the block that began last did so; kNobody: others of its cluster run beside it.
  std::uint64_t last_begun_ = kNobody;
  std::vector<std::uint64_t> executed_before_;
  std::array<std::uint32_t, kAddressCells> atomic_cells_{}, word_cells_{};
  std::array<std::array<std::uint64_t, 2>, kAddressCells>
      last_words_{};  // of each cell, that an atomic alone was on
  std::array<std::uint32_t, kAddressCells> store_cells_{};
  std::vector<TracedSite> sites_;
  std::uint64_t last_piece_ = 0;     // of the request
  std::uint32_t wide_of_block_ = 0;  // requests of several lines
  double texture_sectors_ = 0;
  std::unique_ptr<HandOverTrace> hand_overs_;
};

}  // namespace cudalab::vgpu
