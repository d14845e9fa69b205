// Which lines of memory a warp's access touches, and the sample of lines that is kept for the cache replay.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "vgpu/warp.h"

namespace cudalab::vgpu {

// Which of the lines that a launch touches are kept for the replay of the caches: a sample of them.
//
// A line of 128 bytes is in the sample of level k where k bits of its number agree with a hash of its
// surroundings: one line of 2^k, spread evenly, and each level's lines are among those of the level before.
// Every host thread keeps a sample of what its own blocks touch, and raises its level only where the whole
// launch's would be raised, too: so the sample that is replayed depends on the launch alone, not on how its
// blocks were shared out. The threads tell each other how many touches they have kept, so that they keep
// together about as many as one of them would alone.

inline constexpr int kLineShift = 7;
inline constexpr std::uint64_t kLineBytes = 1ull << kLineShift;
inline constexpr std::uint64_t kFirstLocalLine = 1ull << 50;  // where local memory begins, beyond all others
inline constexpr int kHighestSampleLevel = 16;
inline constexpr std::size_t kMostTouches = 1u << 15;  // in a sample, as far as it has some lines

enum class Touch : std::uint8_t { kLoad, kLoadPastL1, kStore, kAtomic };

struct TouchedLine {
  std::uint64_t line : 54 = 0;
  std::uint64_t warp : 10 = 0;  // of its block
  std::uint32_t clock = 0;      // instructions of its warp before
  std::uint32_t site : 22;
  std::uint32_t sectors : 4;  // a bit each
  std::uint32_t touch : 2;
  std::uint32_t part : 4;  // of these sectors
};
// Of each sector: all of it, only the word of this number, or something else.
inline constexpr std::uint32_t kWholeSectors = 0, kFirstWord = 1, kSomeWords = 9;

// Of level k's sample are the lines whose lowest k bits of their key are 0.
inline constexpr int kSurroundingsShift = 10;  // lines 2^10: 128 KiB
inline std::uint64_t surroundings_of(std::uint64_t line) { return line >> kSurroundingsShift; }
inline std::uint64_t hash_of(std::uint64_t surroundings) {
  return (surroundings + 1) * 0x9E3779B97F4A7C15ull >> 40;
}
inline std::uint64_t sampling_key(std::uint64_t line) {
  return line ^ (line >> 5) * 11 ^ hash_of(surroundings_of(line));
}
inline std::uint64_t sampling_mask(int level) { return (1ull << level) - 1; }
inline bool is_sampled(std::uint64_t line, std::uint64_t mask) { return (sampling_key(line) & mask) == 0; }

// What the host threads of a launch tell each other of their samples.
class SharedSample {
 public:
  // So many more touches are kept at this level by one of them, whose `lines` these are; returns the level to
  // go on with, of which all that is kept is to be told anew where it is another one.
  int add(int level, std::size_t more, std::span<const TouchedLine> lines);

 private:
  std::atomic<int> level_{0};
  // That were kept at each level, also by threads that have gone on to the next since: never more than its
  // sample has of the whole launch.
  std::array<std::atomic<std::size_t>, kHighestSampleLevel + 1> touches_{};
};

// The lowest level from `level` on whose sample of these touches is no larger than `most`. A larger one is
// taken where the next would have too few lines to tell the shares of all, up to twice kMostTouches.
int sample_level(std::span<const std::span<const TouchedLine>> touches, int level, std::size_t most);

// Which lanes of a warp's access touch another line than the lane before them, all lanes at once: a touch of
// a line begins there.

struct TouchedLanes {
  std::uint32_t begins = 0;   // a bit each: lanes with another line; the first of all has none before it
  std::uint32_t sampled = 0;  // of these, with a line in the sample
  std::uint32_t lines = 0;    // how many begin
  std::uint32_t pieces = 0;   // of these, in other 256 bytes
};

// `base` is the address of the first active lane, the sample is that of the level with this mask
// (line_sample.h). Inactive lanes begin nothing, but for the first of all.
TouchedLanes touched_lanes(const Pattern& pattern, std::uint64_t base, std::uint64_t mask);

}  // namespace cudalab::vgpu
