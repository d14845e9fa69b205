// Detects whether a long-running launch still makes progress.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <unordered_set>

#include "vgpu/warp.h"

namespace cudalab::vgpu {

// The time that a launch may run without an ended block or a new address.
inline constexpr std::chrono::seconds kPatience{40};

// Number of ended blocks of a launch, since a host thread began to watch.
struct EndedBlocks {
  std::atomic<bool> is_counted{false};  // read by all threads, written once
  alignas(64) std::atomic<std::uint64_t> count{0};

  void add_one() {
    if (is_counted.load(std::memory_order_relaxed)) count.fetch_add(1, std::memory_order_relaxed);
  }
};

// Watches a block on one host thread. Progress is a block that ends, on any thread, or an address in a
// register that no earlier sample contained. A loop whose condition never changes shows neither; a kernel
// that walks through memory does.
class ProgressWatch {
 public:
  void start_block() { begins_ = {}; }
  // Takes a sample of the warp that ran. Returns whether there was no progress for kPatience.
  bool is_stuck(const Warp& warp, EndedBlocks& ended);

 private:
  using Clock = std::chrono::steady_clock;
  bool finds_new_address(const Warp& warp);

  // Limit of the samples; when it is exceeded, they start anew.
  static constexpr std::size_t kMostLines = 1u << 18;
  Clock::time_point begins_{};  // start of the time without progress; zero: not watched yet
  std::uint64_t ended_ = 0;
  std::unordered_set<std::uint64_t> lines_;  // 128-byte lines
};

}  // namespace cudalab::vgpu
