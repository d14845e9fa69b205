// Records, while the blocks of a launch run in order on one host thread, which block waits for a value of
// which other block, and what each block executes in between.
//
//     block 4   work   publish A   work          end
//     block 5   work   wait for A  work  publish B  end
//     block 6   work   wait for B . . .
//
// The interpreter runs a block to its end unless it must wait, so most waits succeed at once; what counts is
// which block published the value. Polling rounds that found nothing are removed from all counts.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "vgpu/block.h"

namespace cudalab::vgpu {

struct HandOver {
  enum class Kind : std::uint8_t { kPublish, kWait, kEnd };
  static constexpr std::uint32_t kNone = ~0u;
  Kind kind{};
  bool by_atomic = false;      // a wait polls with an atomic
  bool looks_back = false;     // a wait may continue with a value that is not final (decoupled look-back)
  bool answers = false;        // a publish by an atomic whose result is used
  bool takes = false;          // a publish by the awaited read, as by the swap that takes a lock
  bool goes_on = false;        // a publish with `takes`: part of the same request as the previous event
  std::uint8_t warp = 0;       // modulo 256
  std::uint8_t lanes = 1;      // lanes of the request; for a publish with `takes`, for this word
  std::uint8_t words = 1;      // a publish with `takes`: words of the request in the same L2 part
  std::uint32_t block = 0;     // index in the order in which blocks began
  std::uint32_t section = 0;   // index of the code that the warp has executed since its last event
  std::uint32_t barriers = 0;  // number of barriers that the warp has reached before
  std::uint32_t word = 0;      // the published word, or the first word of a wait
  // A publish: the previous publish by the same block to the same word, and the block's wait in between; or
  // kNone. A wait: its values are in values_of().
  std::uint32_t earlier = kNone, wait_between = kNone;
  std::uint32_t first_value = 0, values = 0;
  std::uint32_t asks_in = kNone;  // for a publish with `takes`: the basic block that polls again if it fails
};

// Basic blocks with their execution counts.
using Section = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

// Polling rounds that found nothing: executions of basic blocks, and requests of sites.
struct IdleRounds {
  std::vector<std::uint64_t> basic_blocks, sites;
};

// A traced block.
struct FollowedBlock {
  std::uint32_t index = 0;
  std::size_t place = 0;                // index in used_
  std::vector<BasicBlockCount> counts;  // of each warp, contiguous
  std::vector<std::uint64_t> before;    // the same at the warp's last event
  std::vector<std::uint64_t> polled;    // the same at its last poll
  struct OfWarp {
    bool waits = false;
    bool takes = false, by_atomic = false, looks_back = false;
    bool has_taken = false;                   // its next poll then is for a new value
    std::uint32_t lanes = 0, next_lanes = 0;  // of the poll, one bit each
    std::uint32_t site = 0, next_site = 0;
    std::uint32_t loop = 0, next_loop = 0;
    std::uint32_t asks_in = HandOver::kNone;  // basic block
    int bytes = 4;
    std::int64_t executed = 0;                             // instructions at the last poll
    std::vector<std::uint64_t> addresses, next_addresses;  // addresses of the last poll; of the current one
    std::array<std::uint64_t, kWarpSize> next_of_lane{};
    std::vector<std::uint32_t> values;
    std::int64_t idle = 0;  // instructions of idle rounds
    // The last idle round: its executions, the number of equal rounds since that are not removed yet, and the
    // number of values that its word had.
    Section round;
    std::int64_t round_executed = 0;
    std::uint64_t rounds = 0;
    std::size_t versions = 0;
  };
  std::vector<OfWarp> warps;
  std::uint32_t last_warp = 0;                                 // warp of the block's last event
  std::unordered_map<std::uint64_t, std::uint32_t> published;  // by address: last publish there
  std::uint32_t waits_until = 0;                               // number of events at the end of its last wait
};

class HandOverTrace {
 public:
  HandOverTrace(const Program& program, GlobalMemory& memory, std::size_t warps);
  ~HandOverTrace();
  // Whether some read of the program waits; if not, there is nothing to trace.
  static bool is_needed(const Program& program);

  // `counts`: of the launch; end_block() adds those of the block.
  void begin_block(Block& block, std::vector<BasicBlockCount>& counts);
  void end_block(Block& block, std::vector<BasicBlockCount>& counts);
  // Records one access of a warp to global memory; after an awaited read, call asked(). Returns whether the
  // access repeats the warp's last poll, which found nothing.
  bool access(const Warp& warp, const SiteState& site, const Pattern& pattern, std::uint64_t base);
  // The awaited read before `wait` has returned its result.
  void asked(const Inst* wait, const Warp& warp);

  const std::vector<HandOver>& events() const { return events_; }
  // The publish events whose values the wait needs.
  std::span<const std::uint32_t> values_of(const HandOver& wait) const {
    return std::span(values_).subspan(wait.first_value, wait.values);
  }
  const std::vector<Section>& sections() const { return sections_; }
  const IdleRounds& idle() const { return idle_; }
  std::uint32_t blocks() const { return blocks_; }  // traced blocks
  std::size_t words() const { return words_.size(); }
  // By word: the L2 part that holds it.
  const std::vector<std::uint64_t>& part_of_word() const { return part_of_word_; }
  std::uint32_t waits() const { return waits_; }
  bool is_whole() const { return events_.size() < kMostEvents; }

 private:
  struct Version {
    std::uint32_t event;
    std::uint64_t value;  // set when the next version is published
  };
  struct Word {
    std::uint32_t number = 0;
    std::uint64_t value_before = 0;  // before the launch
    std::vector<Version> versions;
    int bytes = 4;
  };
  std::uint32_t add_event(FollowedBlock& block, std::uint32_t warp, HandOver event,
                          std::span<const std::uint64_t> until);
  void publish(FollowedBlock& block, std::uint32_t warp, std::uint64_t address, int bytes, HandOver event,
               std::span<const std::uint64_t> until);
  void end_wait(FollowedBlock& block, std::uint32_t warp);
  void end_waits(FollowedBlock& block);
  bool is_as_the_last_round(const FollowedBlock::OfWarp& state, const Warp& warp) const;
  void take_out_idle_round(FollowedBlock& block, const Warp& warp);
  void take_out_equal_rounds(FollowedBlock& block, std::uint32_t warp);
  Word& word_at(std::uint64_t address);
  std::uint32_t section_number(Section section);
  std::span<const std::uint64_t> counts_now(const FollowedBlock& block, std::uint32_t warp);
  void find_values(const Inst* wait, const Warp& warp, FollowedBlock::OfWarp& state);
  std::uint32_t first_that_ends(const Inst* wait, const Warp& warp, std::uint64_t address, const Word& word);
  void prepare_trial(const Warp& warp);
  bool would_end(const Inst* wait, std::uint64_t value);
  std::uint64_t value_in_memory(std::uint64_t address, int bytes) const;
  bool has_changed_a_word(const Inst* wait, const Warp& warp, const FollowedBlock::OfWarp& state) const;

  static constexpr std::size_t kMostEvents = 1u << 18;
  static constexpr std::uint32_t kMostBlocks = 1u << 14;
  const Program& program_;
  GlobalMemory& memory_;
  std::size_t warps_, basic_blocks_;
  std::vector<std::unique_ptr<FollowedBlock>> free_, used_;
  std::vector<HandOver> events_;
  std::vector<std::uint32_t> values_;
  std::vector<Section> sections_;
  std::map<Section, std::uint32_t> numbers_;  // numbers of sections
  std::unordered_map<std::uint64_t, Word> words_;
  std::vector<std::uint64_t> part_of_word_;
  IdleRounds idle_;
  std::uint32_t blocks_ = 0, waits_ = 0;
  std::vector<std::uint64_t> now_;  // scratch: counts of the current warp
  std::unique_ptr<Warp> trial_;     // evaluates the loop condition with other values
  HostBytes trial_registers_;
  std::size_t trial_bytes_ = 0;
  std::uint32_t trial_lane_ = 0;
};

// Fields of Inst::imm for the instruction after an awaited read: the size of the read in bytes, the flags of
// AwaitedRead, and the index of its basic block.
inline constexpr std::uint64_t kAwaitedBytes = 0xff, kAwaitedTakes = 1 << 8, kAwaitedCanBeTried = 1 << 9,
                               kAwaitedLeavesWhenTaken = 1 << 10, kAwaitedLooksBack = 1 << 11;
inline constexpr int kAwaitedInShift = 16;

}  // namespace cudalab::vgpu
