// Runs blocks one after another on one host thread, and keeps what they counted.
#pragma once

#include <string>
#include <vector>

#include "vgpu/block.h"

namespace cudalab::vgpu {

struct LaunchAbandoned {};

class BlockRunner {
 public:
  // `counting`: the runner that keeps the counts of this one too, on the same host thread.
  explicit BlockRunner(Launch& launch, BlockRunner* counting = nullptr);
  ~BlockRunner();
  // Throws KernelFault, or LaunchAbandoned when the launch will be repeated.
  void run(std::uint64_t linear_block);
  // The same step by step. run_turn gives each warp that can go on a turn; false: no warp got anywhere, and
  // some read memory that other blocks may write.
  void begin(std::uint64_t linear_block);
  bool run_turn();
  bool finished() const { return block_.live_threads == 0; }

  // Of all blocks so far.
  std::vector<BasicBlockCount>& counts() { return counts_; }
  std::vector<SiteState>& sites() { return sites_; }
  std::vector<Hazard>& hazards() { return block_.hazards; }

 private:
  void prepare_warps();
  void fill_specials(Warp& warp, Refresh which);
  bool run_warps(bool& all_yielded);
  void run_warp(Warp& warp);
  std::string why_to_stop(std::uint64_t steps) const;  // empty: go on
  [[noreturn]] void stop_in_the_middle(const Warp& warp, std::string why) const;
  [[noreturn]] void report_deadlock();

  Launch& launch_;
  BlockRunner* counting_;
  Block block_;
  std::unique_ptr<Observer> observer_;
  WarpPosition position_;
  std::vector<BasicBlockCount> counts_;
  std::vector<SiteState> sites_;
};

}  // namespace cudalab::vgpu
