// Tells whether a launch that runs for long still gets anywhere.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <unordered_set>

#include "vgpu/warp.h"

namespace cudalab::vgpu {

// How long a launch may go without a block that ends and without a new address.
inline constexpr std::chrono::seconds kPatience{40};

// Of a launch: how many blocks ended since one of the host threads began to count.
struct EndedBlocks {
  std::atomic<bool> is_counted{false};  // read by all threads, written once
  alignas(64) std::atomic<std::uint64_t> count{0};

  void add_one() {
    if (is_counted.load(std::memory_order_relaxed)) count.fetch_add(1, std::memory_order_relaxed);
  }
};

// Watches a block on one host thread. A block that ends, on any thread, is progress; so is an address in a
// register that none of the samples held before. A loop whose condition never changes shows neither, and a
// kernel that walks through memory does.
class ProgressWatch {
 public:
  void start_block() { begins_ = {}; }
  // A sample of the warp that ran. Returns whether there was no progress for kPatience.
  bool is_stuck(const Warp& warp, EndedBlocks& ended);

 private:
  using Clock = std::chrono::steady_clock;
  bool finds_new_address(const Warp& warp);

  static constexpr std::size_t kMostLines = 1u << 18;  // more is progress enough: the samples begin anew
  Clock::time_point begins_{};                         // of the time without progress; zero: not watched yet
  std::uint64_t ended_ = 0;
  std::unordered_set<std::uint64_t> lines_;  // of 128 bytes
};

}  // namespace cudalab::vgpu
