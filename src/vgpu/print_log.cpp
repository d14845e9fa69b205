#include "vgpu/print_log.h"

#include <iterator>

namespace cudalab::vgpu {

void PrintLog::add(std::uint64_t block, std::string_view text) {
  const std::lock_guard lock(mutex_);
  std::string& printed = blocks_[block];
  // One byte more than can be shown tells that something is missing.
  text = text.substr(0, kMostBytes + 1 - std::min(kMostBytes + 1, printed.size()));
  printed += text;
  bytes_ += text.size();
  // The last blocks are not needed once those before them fill the log.
  while (blocks_.size() > 1 && bytes_ - blocks_.rbegin()->second.size() > kMostBytes) {
    bytes_ -= blocks_.rbegin()->second.size();
    blocks_.erase(std::prev(blocks_.end()));
  }
}

void PrintLog::clear() {
  blocks_.clear();
  bytes_ = 0;
}

std::string PrintLog::text(std::uint64_t last_block) const {
  std::string all;
  for (const auto& [block, printed] : blocks_) {
    if (block > last_block) break;
    all += printed;
  }
  if (all.size() <= kMostBytes) return all;
  all.resize(kMostBytes);
  return all + "\n[the kernel printed more than 1 MiB; the rest is left out]\n";
}

}  // namespace cudalab::vgpu
