// Runs blocks on one host thread, warp by warp, collects their counts, and detects warps that wait forever. A
// turn is a time slice of a block, or of one of its warps.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "vgpu/block.h"
#include "vgpu/counters/recorder.h"
#include "vgpu/time/access_trace.h"
#include "vgpu/warp_trace.h"

namespace cudalab::vgpu {

// Detects whether the warps of a block, which only poll an incomplete mbarrier phase, will do so forever.
//
// A loop around mbarrier.try_wait may end by itself, with a counter or by the clock. So while no warp makes
// progress, the clock is advanced in growing steps, about a minute in total; then it is stopped for a few
// turns. If the paths, registers and memory of the warps then repeat an earlier state, they are in an
// infinite loop.

class Standstill {
 public:
  void start_block() { turns_ = 0, polls_ = 0; }
  // Call after a turn in which some warp made progress.
  void end() { start_block(); }
  // Call after a turn without progress. Returns whether this will last forever.
  bool lasts(Block& block);

 private:
  void let_time_pass(Block& block) const;

  std::uint64_t turns_ = 0, polls_ = 0;  // turns in a row without progress; polls of all warps in them
  std::uint64_t remembered_ = 0;         // digest of the block's state at an earlier turn
};

// Runs blocks one after another on one host thread, turn by turn, and keeps their counts.

struct LaunchAbandoned {};

// The result of a block's turn.
enum class Turn : std::uint8_t {
  kProgress,
  kPolls,  // no warp made progress, and some read memory that other blocks may write
  kWaits,  // waits for other blocks of its cluster, or forever
};

class BlockRunner {
 public:
  // `counting`: the runner on the same host thread that also keeps the counts of this one.
  explicit BlockRunner(Launch& launch, BlockRunner* counting = nullptr);
  ~BlockRunner();
  // Starts a block, by its number (block.h), as a member of a cluster.
  void begin(std::uint64_t number, Cluster& cluster, std::uint32_t rank);
  // Runs each runnable warp for one turn. Throws KernelFault, or LaunchAbandoned if the launch will be
  // repeated.
  Turn run_turn();
  bool finished() const { return block_.live_threads == 0; }
  Block& block() { return block_; }
  // Call if no other block can wake this one.
  [[noreturn]] void report_deadlock();

  // Results of all blocks so far.
  std::vector<BasicBlockCount>& counts() { return counts_; }
  std::vector<SiteState>& sites() { return sites_; }
  std::vector<Hazard>& hazards() { return block_.hazards; }
  AccessTrace* trace() { return trace_.get(); }           // if time is predicted
  const Recorder* recorder() { return recorder_.get(); }  // if a recording was requested

 private:
  void prepare_warps();
  void fill_specials(Warp& warp);
  void fill_specials_of_block();
  bool run_warps(bool& all_yielded);
  void run_warp(Warp& warp);
  void execute(const Inst* inst, Warp& warp);
  std::uint64_t tell_steps();  // adds them to Launch::steps; returns the sum over all blocks so far
  Message why_to_stop(std::uint64_t steps) const;  // empty: continue
  void tell_line(const Warp& warp);
  [[noreturn]] void stop_in_the_middle(const Warp& warp, Message why) const;
  bool is_idle(std::uint64_t phase_events, std::uint64_t communications) const;

  Launch& launch_;
  BlockRunner* counting_;
  Block block_;
  std::unique_ptr<Observer> observer_;
  WarpPosition position_;
  std::int64_t untold_steps_ = 0;  // instructions not yet added to Launch::steps
  Standstill standstill_;
  ProgressWatch progress_;
  std::uint64_t steps_ = 0;     // of the current block
  WarpWatch* watch_ = nullptr;  // of the current block
  std::vector<BasicBlockCount> counts_;
  std::vector<SiteState> sites_;
  std::unique_ptr<AccessTrace> trace_;
  std::unique_ptr<Recorder> recorder_;
};

}  // namespace cudalab::vgpu
