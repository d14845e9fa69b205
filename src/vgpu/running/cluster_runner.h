// Runs clusters one after another on one host thread: the blocks of one take turns. Usually it is a single
// block.
#pragma once

#include <memory>
#include <vector>

#include "vgpu/running/block_runner.h"

namespace cudalab::vgpu {

class ClusterRunner {
 public:
  // `counting`: the runner that keeps the counts of this one too, on the same host thread.
  explicit ClusterRunner(Launch& launch, ClusterRunner* counting = nullptr);
  // Throws KernelFault, or LaunchAbandoned when the launch will be repeated.
  void run(std::uint64_t cluster);
  // The same step by step. run_turn gives each block a turn; false: none got anywhere, and some read memory
  // that other clusters may write.
  void begin(std::uint64_t cluster);
  bool run_turn();
  bool finished() const;
  const std::vector<std::unique_ptr<BlockRunner>>& blocks() const { return blocks_; }

 private:
  Cluster cluster_;
  std::vector<std::unique_ptr<BlockRunner>> blocks_;  // by rank; the first counts for all
};

}  // namespace cudalab::vgpu
