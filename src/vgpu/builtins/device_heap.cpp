#include "vgpu/builtins/device_heap.h"

#include <algorithm>

#include "core/alignment.h"

namespace cudalab::vgpu {
namespace {

// Pieces are multiples of 16 bytes.
std::size_t heap_bytes(std::size_t bytes) { return round_up(std::max<std::size_t>(bytes, 1), 16); }

}  // namespace

void DeviceHeap::begin_launch() {
  taken_in_launch_ = 0;
  memory_.forget_retired();
}

std::uint64_t DeviceHeap::take(std::size_t bytes) {
  if (bytes > bytes_ || used_bytes_ + heap_bytes(bytes) > bytes_ || taken_in_launch_ == kMostPieces) return 0;
  if (!memory_.has_room(bytes)) return 0;
  const std::uint64_t address = memory_.allocate("memory from malloc()", bytes);
  used_bytes_ += heap_bytes(bytes);
  ++taken_in_launch_;
  pieces_.emplace(address, bytes);
  return address;
}

bool DeviceHeap::give_back(std::uint64_t address) {
  const auto found = pieces_.find(address);
  if (found == pieces_.end()) return false;
  used_bytes_ -= heap_bytes(found->second);
  pieces_.erase(found);
  memory_.retire(address);
  return true;
}

void DeviceHeap::free_all() {
  for (const auto& [address, bytes] : pieces_) memory_.retire(address);
  pieces_.clear();
  used_bytes_ = 0;
  memory_.forget_retired();
}

}  // namespace cudalab::vgpu
