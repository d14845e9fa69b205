// The heap that kernels take memory from with malloc() and new. It lives as long as the virtual GPU, as on a
// card.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>

#include "vgpu/memory/memory.h"

namespace cudalab::vgpu {

// Kernels that use it run on one host thread. Every piece is an allocation of its own, so that going beyond
// one, or using it after free(), is caught.
class DeviceHeap {
 public:
  static constexpr std::size_t kDefaultBytes = 8 << 20;  // cudaLimitMallocHeapSize
  static constexpr std::size_t kMostPieces = 1 << 20;    // taken in one launch; malloc() then returns null

  explicit DeviceHeap(GlobalMemory& memory) : memory_(memory) {}
  void begin_launch();
  std::uint64_t take(std::size_t bytes);  // 0: there is no room
  bool give_back(std::uint64_t address);  // false: not the address of a piece
  void set_bytes(std::size_t bytes) { bytes_ = bytes; }
  const std::map<std::uint64_t, std::size_t>& pieces() const { return pieces_; }  // address, bytes
  void free_all();                                                                // while no kernel runs

 private:
  GlobalMemory& memory_;
  std::map<std::uint64_t, std::size_t> pieces_;  // address, bytes
  std::size_t bytes_ = kDefaultBytes, used_bytes_ = 0, taken_in_launch_ = 0;
};

}  // namespace cudalab::vgpu
