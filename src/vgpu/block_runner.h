// Runs blocks one after another on one host thread, and keeps what they counted.
#pragma once

#include <vector>

#include "vgpu/block.h"

namespace cudalab::vgpu {

class BlockRunner {
 public:
  explicit BlockRunner(Launch& launch);
  // Throws KernelFault.
  void run(std::uint64_t linear_block);

  // Of all blocks so far.
  std::vector<BlockCount>& counts() { return counts_; }
  std::vector<SiteState>& sites() { return sites_; }
  std::vector<Hazard>& hazards() { return block_.hazards; }

 private:
  void prepare_warps();
  void start_block(std::uint64_t linear_block);
  void fill_specials(Warp& warp, Refresh which);
  bool run_warps();
  void run_warp(Warp& warp);
  void release_barriers();
  void release(int id);
  [[noreturn]] void report_deadlock();

  Launch& launch_;
  Block block_;
  WarpPosition position_;
  std::vector<BlockCount> counts_;
  std::vector<SiteState> sites_;
};

}  // namespace cudalab::vgpu
