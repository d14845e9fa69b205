// Records which lines of memory the warps of a launch touch, and when. Only a sample of the lines is kept;
// the caches are replayed on it afterwards (cache_replay.h).
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "vgpu/hand_overs/hand_over_trace.h"
#include "vgpu/time/touched_lanes.h"
#include "vgpu/warp.h"

namespace cudalab::vgpu {

// Lines and segments that the requests of one site touch, sampled or not.
struct SiteTouches {
  std::uint64_t lines = 0;
  std::uint64_t pieces = 0;  // 256-byte segments, counted in the order of the lanes
  // `wide`: requests for several lines. For `tried` of these, the L1 wavefronts were counted; `passes` is the
  // sum.
  std::uint64_t wide = 0, tried = 0, passes = 0;
  // Requests and bytes of a site that the counters leave out: a warp loads or stores a matrix. Otherwise 0.
  std::uint64_t requests = 0, bytes = 0;
};

// The touches of one block from one resumption to the next: a block that waits for another block is suspended
// and resumed later.
struct TracedBlock {
  std::uint64_t number = 0;
  std::size_t begin = 0;  // index into AccessTrace::lines()
};

// The distribution of the work over blocks, warps and SMs.
struct Balance {
  std::uint64_t blocks = 0, warps = 0;
  double instructions = 0;                // of all warps
  double longest_warps = 0;               // sum over the blocks of the longest warp of each
  std::vector<double> of_multiprocessor;  // sum of its blocks' longest warps; SM = block number modulo SMs
};

// The block whose longest warp executes the most instructions; ties go to the lowest number.
struct LongestBlock {
  std::uint64_t number = 0;
  double longest_warp = 0, instructions = 0;  // of its longest warp, of all its warps
  std::vector<std::uint64_t> executions;      // of each basic block, by all its warps; empty if unknown
  bool comes_before(const LongestBlock& other) const {
    return longest_warp > other.longest_warp || (longest_warp == other.longest_warp && number < other.number);
  }
};

class AccessTrace {
 public:
  static constexpr std::size_t kAddressCells = 4096;

  // `sample` is shared by all host threads of the launch.
  AccessTrace(std::uint32_t multiprocessors, std::span<const SiteInfo> sites, SharedSample& sample);
  // From now on, waits between blocks are recorded.
  void follow(std::unique_ptr<HandOverTrace> hand_overs) { hand_overs_ = std::move(hand_overs); }
  HandOverTrace* hand_overs() const { return hand_overs_.get(); }
  // `counts`: execution counts of the launch so far.
  void begin_block(const Block& block, std::span<const BasicBlockCount> counts);
  void end_block(const Block& block, std::span<const BasicBlockCount> counts);
  // Records one access of a warp. `base` is the address of the first active lane; in local memory it is an
  // offset.
  void add(const Warp& warp, const SiteState& site, const Pattern& pattern, std::uint64_t base);
  // Records one texture fetch of a warp: fill texels() with the address of each texel in the GPU's texture
  // layout, then call add_texels().
  std::vector<std::uint64_t>& texels() { return texels_; }
  void add_texels(const Warp& warp, const SiteState& site);

  int level() const { return level_; }
  const std::vector<TouchedLine>& lines() const { return lines_; }
  const std::vector<TracedBlock>& blocks() const { return blocks_; }
  std::span<const TouchedLine> lines_of(const TracedBlock& block) const;
  const Balance& balance() const { return balance_; }
  const LongestBlock& longest_block() const { return longest_block_; }
  const std::array<std::uint32_t, kAddressCells>& atomic_cells() const { return atomic_cells_; }
  // The part of atomic_cells() that updates one word, where the cell's previous atomic updated the same word
  // or alternated between it and one other word.
  const std::array<std::uint32_t, kAddressCells>& word_cells() const { return word_cells_; }
  double texture_sectors() const { return texture_sectors_; }
  // Stores whose lanes do not write contiguous rows, by the L2 part that holds the line.
  const std::array<std::uint32_t, kAddressCells>& store_cells() const { return store_cells_; }
  const SiteTouches& touches_of(std::size_t site) const { return sites_[site].touches; }

 private:
  static constexpr std::uint64_t kNobody = ~0ull;
  enum class Place : std::uint8_t { kGlobal, kLocal, kElsewhere };
  struct TracedSite {
    SiteTouches touches;
    int bytes = 0;  // per lane
    bool is_uncounted = false;
    Touch touch{};
    Place place{};
  };
  // The request being recorded. Its members are separate words, because the bit fields of TouchedLine share
  // words and are slower to write.
  struct Request {
    TracedSite* site = nullptr;
    std::uint64_t warp = 0;
    std::uint32_t clock = 0, number = 0;  // `number`: of the site
  };
  static TracedSite traced_site(const SiteInfo& info);
  std::vector<std::uint64_t> executions_of(const Block& block, std::span<const BasicBlockCount> counts) const;
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
  std::size_t told_ = 0;   // lines already reported to `sample_`
  std::size_t next_look_;  // number of lines at which the sample size is checked next
  std::vector<TracedBlock> blocks_;
  std::uint64_t noted_block_ = kNobody;  // number of the last of `blocks_`
  Balance balance_;
  LongestBlock longest_block_;
  // By basic block: its count when `last_begun_` began. `last_begun_` is kNobody for a block of a cluster,
  // because the cluster's blocks run interleaved.
  std::uint64_t last_begun_ = kNobody;
  std::vector<std::uint64_t> executed_before_;
  std::array<std::uint32_t, kAddressCells> atomic_cells_{}, word_cells_{};
  std::array<std::array<std::uint64_t, 2>, kAddressCells>
      last_words_{};  // of each cell: the last two words that had an atomic to themselves
  std::array<std::uint32_t, kAddressCells> store_cells_{};
  std::vector<TracedSite> sites_;
  std::vector<std::uint64_t> texels_;
  std::uint64_t last_piece_ = 0;     // last 256-byte segment of the current request
  std::uint32_t wide_of_block_ = 0;  // requests for several lines
  double texture_sectors_ = 0;
  std::unique_ptr<HandOverTrace> hand_overs_;
};

}  // namespace cudalab::vgpu
