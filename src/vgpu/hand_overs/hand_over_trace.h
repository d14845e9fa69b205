// Notes, while the blocks of a launch run in order on one host thread, which of them waits for what another
// one has written, and what each executes in between.
//
//     block 4   work   publish A   work          end
//     block 5   work   wait for A  work  publish B  end
//     block 6   work   wait for B . . .
//
// The interpreter runs a block to its end where it need not wait, so that most waits find what they ask for:
// what matters is whose value it was. A round of a loop that found nothing is taken out of all counts.
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
  bool by_atomic = false;      // how a wait asks
  bool looks_back = false;     // a wait: may get on with a value that is not final
  bool answers = false;        // a publish: by an atomic whose result is used
  bool takes = false;          // a publish: by the read itself, which found what it waited for
  bool goes_on = false;        // a publish that takes: with the same request as the event before
  std::uint8_t warp = 0;       // modulo 256
  std::uint8_t lanes = 1;      // that ask together; of a publish that takes, for this word
  std::uint8_t words = 1;      // a publish that takes: of the request, in the same part of the L2
  std::uint32_t block = 0;     // by the order in which they began
  std::uint32_t section = 0;   // what the warp has executed since its last event
  std::uint32_t barriers = 0;  // that the warp has come to before
  std::uint32_t word = 0;      // of a publish; of a wait, the first that it asks for
  // A publish: the one before it by the same block into the same word, and the block's wait in between; or
  // kNone. A wait: its values, in `values_of`.
  std::uint32_t earlier = kNone, wait_between = kNone;
  std::uint32_t first_value = 0, values = 0;
  std::uint32_t asks_in = kNone;  // the basic block in which a publish that takes asks again when it fails
};

// How often each basic block was executed.
using Section = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

// Rounds of loops that found nothing: executions of basic blocks, requests of sites.
struct IdleRounds {
  std::vector<std::uint64_t> basic_blocks, sites;
};

// A block that is followed.
struct FollowedBlock {
  std::uint32_t index = 0;
  std::size_t place = 0;                // among those that are followed
  std::vector<BasicBlockCount> counts;  // of each warp, in a row
  std::vector<std::uint64_t> before;    // the same, at the warp's last event
  std::vector<std::uint64_t> polled;    // and at its last poll
  struct OfWarp {
    bool waits = false;
    bool takes = false, by_atomic = false, looks_back = false;
    bool has_taken = false;                   // and so asks for something new when it asks again
    std::uint32_t lanes = 0, next_lanes = 0;  // that ask, a bit each
    std::uint32_t site = 0, next_site = 0;
    std::uint32_t loop = 0, next_loop = 0;
    std::uint32_t asks_in = HandOver::kNone;  // a basic block
    int bytes = 4;
    std::int64_t executed = 0;                             // instructions, at the last poll
    std::vector<std::uint64_t> addresses, next_addresses;  // that it waits for; of the read that is made
    std::array<std::uint64_t, kWarpSize> next_of_lane{};
    std::vector<std::uint32_t> values;
    std::int64_t idle = 0;  // instructions of idle rounds
    // The last idle round: what it executed, how many such have followed and are not taken out yet, and how
    // many values its word had had.
    Section round;
    std::int64_t round_executed = 0;
    std::uint64_t rounds = 0;
    std::size_t versions = 0;
  };
  std::vector<OfWarp> warps;
  std::uint32_t last_warp = 0;                                 // whose event was the block's last
  std::unordered_map<std::uint64_t, std::uint32_t> published;  // by address: its last publish there
  std::uint32_t waits_until = 0;  // the number of events when its last wait had ended
};

class HandOverTrace {
 public:
  HandOverTrace(const Program& program, GlobalMemory& memory, std::size_t warps);
  ~HandOverTrace();
  // Whether some read of the program waits; else there is nothing to follow.
  static bool is_needed(const Program& program);

  // `counts`: of the launch, which gets those of the block in the end.
  void begin_block(Block& block, std::vector<BasicBlockCount>& counts);
  void end_block(Block& block, std::vector<BasicBlockCount>& counts);
  // One access of a warp to global memory; an awaited read is followed by `asked`. Whether it is one that the
  // warp made just before, in vain.
  bool access(const Warp& warp, const SiteState& site, const Pattern& pattern, std::uint64_t base);
  // The read behind which `wait` stands has its result.
  void asked(const Inst* wait, const Warp& warp);

  const std::vector<HandOver>& events() const { return events_; }
  // The publishes that a wait asks for.
  std::span<const std::uint32_t> values_of(const HandOver& wait) const {
    return std::span(values_).subspan(wait.first_value, wait.values);
  }
  const std::vector<Section>& sections() const { return sections_; }
  const IdleRounds& idle() const { return idle_; }
  std::uint32_t blocks() const { return blocks_; }  // that were followed
  std::size_t words() const { return words_.size(); }
  // The part of the L2 that holds a word.
  const std::vector<std::uint64_t>& part_of_word() const { return part_of_word_; }
  std::uint32_t waits() const { return waits_; }
  bool is_whole() const { return events_.size() < kMostEvents; }

 private:
  struct Version {
    std::uint32_t event;
    std::uint64_t value;  // known when the next one comes
  };
  struct Word {
    std::uint32_t number = 0;
    std::uint64_t value_before = 0;  // the launch
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
  std::map<Section, std::uint32_t> numbers_;  // of sections
  std::unordered_map<std::uint64_t, Word> words_;
  std::vector<std::uint64_t> part_of_word_;
  IdleRounds idle_;
  std::uint32_t blocks_ = 0, waits_ = 0;
  std::vector<std::uint64_t> now_;  // of the warp at hand
  std::unique_ptr<Warp> trial_;     // executes what ends a loop with other values
  HostBytes trial_registers_;
  std::size_t trial_bytes_ = 0;
  std::uint32_t trial_lane_ = 0;
};

// In Inst::imm of what follows an awaited read: how many bytes it reads, what AwaitedRead says, and the
// number of its basic block.
inline constexpr std::uint64_t kAwaitedBytes = 0xff, kAwaitedTakes = 1 << 8, kAwaitedCanBeTried = 1 << 9,
                               kAwaitedLeavesWhenTaken = 1 << 10, kAwaitedLooksBack = 1 << 11;
inline constexpr int kAwaitedInShift = 16;

}  // namespace cudalab::vgpu
