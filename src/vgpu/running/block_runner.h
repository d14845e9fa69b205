// Runs blocks on one host thread, warp by warp, collects their counts, and detects warps that wait forever.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "vgpu/block.h"
#include "vgpu/counters/recorder.h"
#include "vgpu/time/access_trace.h"
#include "vgpu/warp_trace.h"

namespace cudalab::vgpu {

// Tells whether the warps of a block, which do nothing but find a phase of an mbarrier incomplete, will ever
// do anything else.
//
// A loop around mbarrier.try_wait may end by itself: it counts, or it looks at the clock. So time passes
// faster and faster while nobody gets on, a minute in all; then it stands still for a few turns. Warps whose
// paths, registers and memory are then as they were once before go round in a circle for ever.

class Standstill {
 public:
  void start_block() { turns_ = 0, polls_ = 0; }
  // After a turn in which some warp got on.
  void end() { start_block(); }
  // After a turn in which none did. Returns whether it will stay like this.
  bool lasts(Block& block);

 private:
  void let_time_pass(Block& block) const;

  std::uint64_t turns_ = 0, polls_ = 0;  // in a row; of all warps
  std::uint64_t remembered_ = 0;         // the state of the block at an earlier turn
};

// Runs blocks one after another on one host thread, turn by turn, and keeps what they counted.

struct LaunchAbandoned {};

// What a block's turn came to.
enum class Turn : std::uint8_t {
  kProgress,
  kPolls,  // no warp got anywhere, and some read memory that other blocks may write
  kWaits,  // for other blocks of its cluster, if for anybody
};

class BlockRunner {
 public:
  // `counting`: the runner that keeps the counts of this one too, on the same host thread.
  explicit BlockRunner(Launch& launch, BlockRunner* counting = nullptr);
  ~BlockRunner();
  // A block, by its number (block.h), as a member of a cluster.
  void begin(std::uint64_t number, Cluster& cluster, std::uint32_t rank);
  // Gives each warp that can go on a turn. Throws KernelFault, or LaunchAbandoned when the launch will be
  // repeated.
  Turn run_turn();
  bool finished() const { return block_.live_threads == 0; }
  Block& block() { return block_; }
  // No other block can make this one go on.
  [[noreturn]] void report_deadlock();

  // Of all blocks so far.
  std::vector<BasicBlockCount>& counts() { return counts_; }
  std::vector<SiteState>& sites() { return sites_; }
  std::vector<Hazard>& hazards() { return block_.hazards; }
  AccessTrace* trace() { return trace_.get(); }           // where time is predicted
  const Recorder* recorder() { return recorder_.get(); }  // where somebody asked for it

 private:
  void prepare_warps();
  void fill_specials(Warp& warp);
  void fill_specials_of_block();
  bool run_warps(bool& all_yielded);
  void run_warp(Warp& warp);
  void execute(const Inst* inst, Warp& warp);
  std::uint64_t tell_steps();                      // of all blocks so far
  Message why_to_stop(std::uint64_t steps) const;  // empty: go on
  void tell_line(const Warp& warp);
  [[noreturn]] void stop_in_the_middle(const Warp& warp, Message why) const;
  bool is_idle(std::uint64_t phase_events, std::uint64_t communications) const;

  Launch& launch_;
  BlockRunner* counting_;
  Block block_;
  std::unique_ptr<Observer> observer_;
  WarpPosition position_;
  std::int64_t untold_steps_ = 0;  // of warps, that Launch::steps lacks
  Standstill standstill_;
  ProgressWatch progress_;
  std::uint64_t steps_ = 0;     // of the block that runs
  WarpWatch* watch_ = nullptr;  // of the block that runs
  std::vector<BasicBlockCount> counts_;
  std::vector<SiteState> sites_;
  std::unique_ptr<AccessTrace> trace_;
  std::unique_ptr<Recorder> recorder_;
};

}  // namespace cudalab::vgpu
