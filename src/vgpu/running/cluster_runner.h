// Runs the clusters of a launch on one host thread: one after another, or several resident ones in turn if
// blocks communicate.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "vgpu/running/block_runner.h"

namespace cudalab::vgpu {

// Runs clusters one after another on one host thread: the blocks of one take turns. Usually it is a single
// block.

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

// Runs the blocks of a launch that communicate through memory: in order, on one host thread, several at a
// time; those of a cluster always together.
//
// A block runs to its end before the next begins, unless it waits for others: when all its warps have used up
// their turns, reading memory that others may write, the next block takes its turn too. So a block can wait
// for one that has not begun yet (a flag, a lock, grid.sync()), and the order in which blocks act is always
// the same.

// How many blocks of this launch the card's multiprocessors hold at a time.
std::uint64_t blocks_on_card(const Launch& launch);

class ResidentClusters {
 public:
  // The first runner also keeps what all others count.
  ResidentClusters(Launch& launch, ClusterRunner& first);
  // Throws KernelFault; `current()` is then the cluster concerned.
  void run(std::uint64_t clusters);
  std::uint64_t current() const { return current_; }
  std::vector<std::unique_ptr<ClusterRunner>>& others() { return others_; }

 private:
  struct Resident {
    ClusterRunner* runner;
    std::uint64_t cluster;
  };
  ClusterRunner* free_runner();
  bool run_until_it_waits(const Resident& resident);

  Launch& launch_;
  std::uint64_t most_;
  std::vector<std::unique_ptr<ClusterRunner>> others_;
  std::vector<ClusterRunner*> free_;
  std::vector<Resident> residents_;  // in the order of clusters
  std::uint64_t current_ = 0;
  bool have_waited_ = false;
};

}  // namespace cudalab::vgpu
