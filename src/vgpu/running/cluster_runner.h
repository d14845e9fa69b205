// Runs the clusters of a launch on one host thread: one after another, or several resident ones in turn if
// blocks communicate.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "vgpu/running/block_runner.h"

namespace cudalab::vgpu {

// Runs clusters one after another on one host thread; the blocks of a cluster take turns. Usually a cluster
// is a single block.

class ClusterRunner {
 public:
  // `counting`: the runner on the same host thread that also keeps the counts of this one.
  explicit ClusterRunner(Launch& launch, ClusterRunner* counting = nullptr);
  // Throws KernelFault, or LaunchAbandoned if the launch will be repeated.
  void run(std::uint64_t cluster);
  // The same in steps. run_turn() runs each block for one turn; it returns false if no block made progress
  // and some read memory that other clusters may write.
  void begin(std::uint64_t cluster);
  bool run_turn();
  bool finished() const;
  const std::vector<std::unique_ptr<BlockRunner>>& blocks() const { return blocks_; }

 private:
  Cluster cluster_;
  std::vector<std::unique_ptr<BlockRunner>> blocks_;  // by rank; the first one keeps all counts
};

// Runs the blocks of a launch that communicate through memory: in order, on one host thread, several at a
// time; the blocks of a cluster always together.
//
// A block runs to its end before the next one begins, unless it waits for other blocks: if all its warps use
// up their turns while reading memory that other blocks may write, the next block runs, too. So a block can
// wait for one that has not begun yet (a flag, a lock, grid.sync()), and the order of execution is
// reproducible.

// The number of blocks of this launch that are resident on the GPU at a time.
std::uint64_t blocks_on_card(const Launch& launch);

class ResidentClusters {
 public:
  // The first runner also keeps the counts of all others.
  ResidentClusters(Launch& launch, ClusterRunner& first);
  // Throws KernelFault; current() is then the cluster that caused it.
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
  std::vector<Resident> residents_;  // in order of their clusters
  std::uint64_t current_ = 0;
  bool have_waited_ = false;
};

}  // namespace cudalab::vgpu
