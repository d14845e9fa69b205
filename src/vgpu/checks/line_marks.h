// The marks of the first race check (grid_races.h): which threads read or write each granule of an
// allocation. Stores one word for a line of 32 granules while their marks follow a rule, and single marks
// only for the other lines.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

#include "vgpu/memory/footprint.h"
#include "vgpu/memory/shadow_bytes.h"

namespace cudalab::vgpu {

// The mark of a granule. It does not depend on the order of accesses:
//
//   0                      untouched
//   1 … 32749              read by one thread (its number in the grid, modulo a prime, plus 1)
//   the same + 0x8000      written by one thread, and perhaps read
//   0x7ffe                 touched by any threads, with reductions only
//   0x7fff                 read by several threads
using Mark = std::uint16_t;
// A prime below 2^15, so threads whose distance is a power of two get different numbers.
inline constexpr std::uint32_t kMarkThreads = 32749;
inline constexpr Mark kMarkWritten = 0x8000, kMarkReduced = 0x7ffe, kMarkManyReaders = 0x7fff,
                      kMarkWho = 0x7fff;

enum class Marking { kRead, kWrite, kReduction };

// One access to adjacent granules.
struct MarkedRow {
  std::uint64_t at;  // the first granule
  std::size_t count;
  const std::uint32_t* lanes;  // of each granule, << kLaneShift
  std::uint32_t thread;        // number in the grid of the access's lane 0, modulo kMarkThreads
  bool is_shared;              // several lanes read each granule
  LaneRun run;
};

// Memory for the marks of single lines. Callable from any host thread. A block is named by the word of a line
// that lists its marks. It gets a new name each time that it is taken.
class MarkBlocks {
 public:
  static constexpr std::size_t kMarks = 32;
  struct alignas(64) Block {
    std::array<Mark, kMarks> marks;
  };
  std::uint64_t take();
  void give_back(std::uint64_t word);

 private:
  // Each host thread prefers one shard, so threads seldom wait for each other.
  struct alignas(64) Shard {
    std::mutex mutex;
    std::vector<std::uint64_t> spare;
    std::vector<HostBytes> chunks;
    Block *next = nullptr, *end = nullptr;  // the unused part of the last chunk
  };
  static constexpr std::size_t kShards = 16;
  Shard& own_shard();
  std::array<Shard, kShards> shards_;
};

// A line's word is one of these, by its lowest bits:
//
//   0                  untouched
//   ruled              | step 15 | who 15 | count - 1 5 | first 5 | log2 of repeat 3 | written 1 | 01 |
//                      `count` granules from `first` on are touched. Their marks begin with `who`, and every
//                      `repeat` granules the number of the thread grows by `step`, modulo kMarkThreads.
//   listed             | version 16 | address of the line's Block 42 | version 4 | 10 |
//   busy               11: a host thread holds the lock on this line, which was listed
//
// Most words change by a single exchange. Only the marks of a listed line are changed under the line's lock.
// A host thread that would change no mark and finds no conflict takes no lock: data that many threads read,
// such as the matrices of a GEMM, would cause needless lock contention. No conflict is lost: the marks it saw
// were current at some moment, and the access leaves them as they are. Any later conflicting access changes a
// mark and so sees these marks or later ones. A block that has moved to another line in the meantime is
// recognized by the version in the line's word.
class LineMarks {
 public:
  static constexpr std::uint64_t kInLine = MarkBlocks::kMarks;
  // `is_alone`: only one host thread uses the object.
  LineMarks(std::uint64_t granules, bool is_alone, MarkBlocks& blocks);

  // Both return whether two threads conflict.
  bool touch_row(Marking marking, const MarkedRow& row) const;
  // Granules that are not adjacent: `footprint` lists them, relative to `first`. `host`: the data of granule
  // `first`, which is prefetched.
  bool touch_each(Marking marking, const Footprint& footprint, std::uint64_t first, std::uint32_t thread,
                  const std::byte* host, int granule_shift) const;
  void prefetch(std::span<const std::uint64_t> granules) const;  // the marks that an access will need

  Mark mark(std::uint64_t granule) const;  // while no other host thread touches the line
  // Calls use(first granule, marks of the line) for each touched line in ascending order, while no host
  // thread touches any.
  template <class Use>
  void for_each_line(const Use& use) const;

 private:
  std::uint64_t& word_of(std::uint64_t granule) const {
    return reinterpret_cast<std::uint64_t*>(words_.get())[granule / kInLine];
  }
  void touch_words(std::uint64_t from, std::uint64_t to) const {
    words_.touch(from / kInLine * sizeof(std::uint64_t), ((to - 1) / kInLine + 1) * sizeof(std::uint64_t));
  }
  void prefetch_listed(std::uint64_t granule) const;
  bool replace(std::uint64_t& word, std::uint64_t before, std::uint64_t after) const;
  bool touch_quickly(std::uint64_t& word, Marking marking, std::uint64_t mine) const;
  template <Marking kMarking>
  bool touch_one(std::uint64_t& word, std::uint64_t in_line, Mark mine, bool& conflict) const;
  template <Marking kMarking>
  bool touch_scattered(const Footprint& footprint, std::uint64_t first, std::uint32_t thread,
                       const std::byte* host, int granule_shift) const;
  // Applies an access, by the marks that it leaves on an untouched line (without kMarkWritten).
  bool change(std::uint64_t& word, Marking marking, const Mark* own) const;
  bool change_listed(std::uint64_t& word, std::uint64_t before, Marking marking, const Mark* own,
                     bool& is_done) const;
  static void expand_part(const MarkedRow& row, std::uint64_t done, std::uint64_t in_line,
                          std::uint64_t count, std::uint64_t ruled, Mark* own);

  ShadowBytes words_;
  bool is_alone_;
  MarkBlocks* blocks_;
};

// The marks of a line, by its word.
void expand_marks(std::uint64_t word, std::span<Mark, LineMarks::kInLine> marks);

template <class Use>
void LineMarks::for_each_line(const Use& use) const {
  std::array<Mark, kInLine> marks;
  words_.for_each_touched([&](std::size_t from, std::size_t to) {
    const auto* words = reinterpret_cast<const std::uint64_t*>(words_.get());
    for (std::size_t line = from / sizeof *words; line < to / sizeof *words; ++line) {
      if (words[line] == 0) continue;
      expand_marks(words[line], marks);
      use(line * kInLine, std::span<const Mark>(marks));
    }
  });
}

}  // namespace cudalab::vgpu
