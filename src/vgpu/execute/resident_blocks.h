// Runs the blocks of a launch that communicate through memory: in order, on one host thread, several at a
// time.
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

#include "vgpu/execute/block_runner.h"

namespace cudalab::vgpu {

// How many blocks of this launch the card's multiprocessors hold at a time.
std::uint64_t blocks_on_card(const Launch& launch);

class ResidentBlocks {
 public:
  // The first runner also keeps what all others count.
  ResidentBlocks(Launch& launch, BlockRunner& first);
  // Throws KernelFault; `current()` is then the block concerned.
  void run(std::uint64_t blocks);
  std::uint64_t current() const { return current_; }
  std::vector<std::unique_ptr<BlockRunner>>& others() { return others_; }

 private:
  struct Resident {
    BlockRunner* runner;
    std::uint64_t block;
  };
  BlockRunner* free_runner();
  bool run_until_it_waits(const Resident& resident);

  Launch& launch_;
  std::uint64_t most_;
  std::vector<std::unique_ptr<BlockRunner>> others_;
  std::vector<BlockRunner*> free_;
  std::vector<Resident> residents_;  // in block order
  std::uint64_t current_ = 0;
};

}  // namespace cudalab::vgpu
