#include "vgpu/progress_watch.h"

#include <cstring>

#include "vgpu/program.h"

namespace cudalab::vgpu {

// Device addresses have 41 to 48 bits (VirtualGpu::first_address). A pair of small numbers in 32-bit
// registers can look like an address; that only delays the detection.
bool ProgressWatch::finds_new_address(const Warp& warp) {
  bool is_new = false;
  for (const Frame& frame : warp.frames) {
    if (!frame.lanes || !frame.registers) continue;
    for (std::uint32_t at = 0; at + sizeof(std::uint64_t) <= frame.function->frame_bytes;
         at += sizeof(std::uint64_t)) {
      std::uint64_t value = 0;
      std::memcpy(&value, frame.registers.get() + at, sizeof value);
      if (value >> 40 != 0 && value >> 48 == 0) is_new |= lines_.insert(value >> 7).second;
    }
  }
  if (lines_.size() > kMostLines) lines_.clear();
  return is_new;
}

bool ProgressWatch::is_stuck(const Warp& warp, EndedBlocks& ended) {
  ended.is_counted.store(true, std::memory_order_relaxed);
  const Clock::time_point now = Clock::now();
  const std::uint64_t count = ended.count.load(std::memory_order_relaxed);
  const bool is_first = begins_ == Clock::time_point{};
  if (is_first) lines_.clear();
  const bool has_new = finds_new_address(warp);
  if (is_first || has_new || count != ended_) {
    begins_ = now;
    ended_ = count;
    return false;
  }
  return now - begins_ > kPatience;
}

}  // namespace cudalab::vgpu
