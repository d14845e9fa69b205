// Notes which lines of memory the warps of a launch touch and when: those of a sample of all lines, so that
// the caches can be replayed afterwards.
//
// A line of 128 bytes is in the sample of level k where k bits of its number agree with a hash of its
// surroundings: one line of 2^k, spread evenly, and each level's lines are among those of the level before. A
// block that touches more sampled lines than it may note raises the level; in the end the highest level that
// any block needed holds for all. It depends on the blocks alone, not on the host threads.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "vgpu/hand_overs/hand_over_trace.h"
#include "vgpu/warp.h"

namespace cudalab::vgpu {

inline constexpr int kLineShift = 7;
inline constexpr std::uint64_t kLineBytes = 1ull << kLineShift;
inline constexpr std::uint64_t kFirstLocalLine = 1ull << 50;  // where local memory begins, beyond all others

enum class Touch : std::uint8_t { kLoad, kLoadPastL1, kStore, kAtomic };

struct TouchedLine {
  std::uint64_t line : 54 = 0;
  std::uint64_t warp : 10 = 0;  // of its block
  std::uint32_t clock = 0;      // instructions of its warp before
  std::uint32_t site : 26;
  std::uint32_t sectors : 4;  // a bit each
  std::uint32_t touch : 2;
};

// What the requests of a site touch, sampled lines or not.
struct SiteTouches {
  std::uint64_t lines = 0;
  std::uint64_t pieces = 0;  // of 256 bytes, in the order of lanes
  // Requests for several lines; of some of those, how often the fullest bank of the L1 is read.
  std::uint64_t wide = 0, tried = 0, passes = 0;
};

// What a block touched, in one go: blocks that wait for others go on later.
struct TracedBlock {
  std::uint64_t number = 0;
  std::size_t begin = 0, end = 0;  // in the lines
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
  static constexpr int kHighestLevel = 10;
  static constexpr std::size_t kAddressCells = 4096;

  AccessTrace(std::uint64_t blocks, std::uint32_t multiprocessors, std::size_t sites);
  // From now on, the waits of blocks for each other are followed.
  void follow(std::unique_ptr<HandOverTrace> hand_overs) { hand_overs_ = std::move(hand_overs); }
  HandOverTrace* hand_overs() const { return hand_overs_.get(); }
  // `counts`: of the launch, so far.
  void begin_block(const Block& block, std::span<const BasicBlockCount> counts);
  void end_block(const Block& block, std::span<const BasicBlockCount> counts);
  // One access of a warp; `base` is the address of the first lane, in local memory an offset.
  void add(const Warp& warp, const SiteState& site, const Pattern& pattern, std::uint64_t base);
  // One fetch of a warp from a texture: texels() is filled with where each of its texels lies in the card's
  // order, and then added.
  std::vector<std::uint64_t>& texels() { return texels_; }
  void add_texels(const Warp& warp, const SiteState& site);

  int level() const { return level_; }
  const std::vector<TouchedLine>& lines() const { return lines_; }
  const std::vector<TracedBlock>& blocks() const { return blocks_; }
  const Balance& balance() const { return balance_; }
  const LongestBlock& longest_block() const { return longest_block_; }
  const std::array<std::uint32_t, kAddressCells>& atomic_cells() const { return atomic_cells_; }
  double texture_sectors() const { return texture_sectors_; }
  // Stores that do not write rows, by the part of the L2 that holds what they write.
  const std::array<std::uint32_t, kAddressCells>& store_cells() const { return store_cells_; }
  const std::vector<SiteTouches>& touches_of_site() const { return touches_of_site_; }

 private:
  // Who asks. Written and read word by word, since a touch's own fields share words.
  struct Request {
    const Warp* warp = nullptr;
    std::uint32_t site = 0;
    Touch touch = Touch::kLoad;
  };
  std::vector<std::uint64_t> executions_of(const Block& block, std::span<const BasicBlockCount> counts) const;
  void note(std::uint64_t line, std::uint32_t sectors);
  void keep(std::uint64_t line, std::uint32_t sectors);
  void go_on_with(std::uint64_t block);
  void begin_request(const Warp& warp, const SiteState& site);
  void add_lanes(const Pattern& pattern, std::uint64_t base, int bytes);
  void add_rows(const Pattern& pattern, std::uint64_t base, std::uint64_t row_bytes);
  void add_local(const Warp& warp, const Pattern& pattern, std::uint64_t offset, int bytes);
  void count_atomics(const Pattern& pattern, std::uint64_t base);
  void count_passes(const Pattern& pattern, std::uint64_t base, int bytes);
  SiteTouches& touches() { return touches_of_site_[request_.site]; }
  void raise_level();

  std::size_t most_lines_;  // of a block
  int level_ = 0;
  std::uint64_t mask_ = 0;
  Request request_;
  std::vector<TouchedLine> lines_;
  std::vector<TracedBlock> blocks_;
  Balance balance_;
  LongestBlock longest_block_;
  // By basic block, when the block that began last did so; kNobody: others of its cluster run beside it.
  static constexpr std::uint64_t kNobody = ~0ull;
  std::uint64_t last_begun_ = kNobody;
  std::vector<std::uint64_t> executed_before_;
  std::array<std::uint32_t, kAddressCells> atomic_cells_{};
  std::array<std::uint32_t, kAddressCells> store_cells_{};
  std::vector<SiteTouches> touches_of_site_;
  std::vector<std::uint64_t> texels_;
  std::uint64_t last_piece_ = 0;     // of the request
  std::uint32_t wide_of_block_ = 0;  // requests of several lines
  double texture_sectors_ = 0;
  std::unique_ptr<HandOverTrace> hand_overs_;
};

// Of level k's sample are the lines whose lowest k bits of their key are 0.
inline constexpr int kSurroundingsShift = 10;  // lines 2^10: 128 KiB
inline std::uint64_t surroundings_of(std::uint64_t line) { return line >> kSurroundingsShift; }
inline std::uint64_t hash_of(std::uint64_t surroundings) {
  return (surroundings + 1) * 0x9E3779B97F4A7C15ull >> 40;
}
inline std::uint64_t sampling_key(std::uint64_t line) {
  return line ^ (line >> 5) * 11 ^ hash_of(surroundings_of(line));
}
inline bool is_sampled(std::uint64_t line, std::uint64_t mask) { return (sampling_key(line) & mask) == 0; }

}  // namespace cudalab::vgpu
