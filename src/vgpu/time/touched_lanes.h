// Finds the lines of memory that a warp's access touches, and samples lines for the cache replay.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "vgpu/warp.h"

namespace cudalab::vgpu {

// The sample of the lines that a launch touches, for the cache replay. A touch is one access by one warp to
// one 128-byte line.
//
// A line is in the sample of level k if k bits of its number match a hash of its surroundings (the 128 KiB
// around it). A level keeps one line in 2^k, evenly distributed, and each level is a subset of the previous
// one. Every host thread samples the touches of its own blocks, and raises its level only if the sample of
// the whole launch would need it. The replayed sample therefore depends on the launch alone, not on how
// blocks were distributed over host threads. The threads share their touch counts, so together they keep
// about as many touches as a single thread would.

inline constexpr int kLineShift = 7;
inline constexpr std::uint64_t kLineBytes = 1ull << kLineShift;
// First line number of local memory, above all others.
inline constexpr std::uint64_t kFirstLocalLine = 1ull << 50;
inline constexpr int kHighestSampleLevel = 16;
// Maximum size of a sample, if it has enough different lines.
inline constexpr std::size_t kMostTouches = 1u << 15;

enum class Touch : std::uint8_t { kLoad, kLoadPastL1, kStore, kAtomic };

struct TouchedLine {
  std::uint64_t line : 54 = 0;
  std::uint64_t warp : 10 = 0;  // index in its block
  std::uint32_t clock = 0;      // instructions that its warp had executed
  std::uint32_t site : 22;
  std::uint32_t sectors : 4;  // one bit each
  std::uint32_t touch : 2;
  std::uint32_t part : 4;  // which part of these sectors: one of the constants below
};
// All of each sector, only the word kFirstWord + i of each (i is 0 to 7), or anything else.
inline constexpr std::uint32_t kWholeSectors = 0, kFirstWord = 1, kSomeWords = 9;

// The sample of level k holds the lines with k zeros in the lowest bits of their key.
inline constexpr int kSurroundingsShift = 10;  // 2^10 lines: 128 KiB
inline std::uint64_t surroundings_of(std::uint64_t line) { return line >> kSurroundingsShift; }
inline std::uint64_t hash_of(std::uint64_t surroundings) {
  return (surroundings + 1) * 0x9E3779B97F4A7C15ull >> 40;
}
inline std::uint64_t sampling_key(std::uint64_t line) {
  return line ^ (line >> 5) * 11 ^ hash_of(surroundings_of(line));
}
inline std::uint64_t sampling_mask(int level) { return (1ull << level) - 1; }
inline bool is_sampled(std::uint64_t line, std::uint64_t mask) { return (sampling_key(line) & mask) == 0; }

// The part of the sampling state that the host threads of a launch share.
class SharedSample {
 public:
  // Adds `more` touches at `level`, kept by a thread that holds `lines`. Returns the level to continue with.
  // If it differs, the thread must resample its lines and report all of them again.
  int add(int level, std::size_t more, std::span<const TouchedLine> lines);

 private:
  std::atomic<int> level_{0};
  // Touches reported at each level, including those by threads that have since moved to the next level. Never
  // more than the whole launch has at that level.
  std::array<std::atomic<std::size_t>, kHighestSampleLevel + 1> touches_{};
};

// The lowest level, from `level` on, whose sample of these touches has at most `most`. A larger sample (up to
// twice kMostTouches) is kept if the next level would have too few different lines to be representative.
int sample_level(std::span<const std::span<const TouchedLine>> touches, int level, std::size_t most);

// Finds, for all lanes of a warp at once, those that access another line than the previous lane: a touch
// begins there.

struct TouchedLanes {
  std::uint32_t begins = 0;   // one bit per lane: begins a touch; always set for lane 0
  std::uint32_t sampled = 0;  // those of `begins` whose line is in the sample
  std::uint32_t lines = 0;    // number of touches
  std::uint32_t pieces = 0;   // number of these in another 256-byte segment than the previous lane
};

// `base`: address of the first active lane. `mask`: sampling_mask() of the level. Inactive lanes begin no
// touch, except lane 0.
TouchedLanes touched_lanes(const Pattern& pattern, std::uint64_t base, std::uint64_t mask);

}  // namespace cudalab::vgpu
