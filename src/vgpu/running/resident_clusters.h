// Runs the blocks of a launch that communicate through memory: in order, on one host thread, several at a
// time; those of a cluster always together.
//
// A block runs to its end before the next begins, unless it waits for others: when all its warps have used up
// their turns, reading memory that others may write, the next block takes its turn too. So a block can wait
// for one that has not begun yet (a flag, a lock, grid.sync()), and the order in which blocks act is always
// the same.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "vgpu/running/cluster_runner.h"

namespace cudalab::vgpu {

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
