// Finds reads of memory that nobody has written.
//
// What counts as such a read: a lane reads only unwritten bytes; or one element of its vector load is
// unwritten and the kernel computes with it. An element that is only stored again does not count: compilers
// copy structures whole, with the padding between their members. What is loaded of local memory is followed
// (undefined_values.h); through a generic pointer the same rule holds for it, and for single loads too.
#pragma once

#include <cstdint>
#include <vector>

#include "vgpu/checks/hazard_log.h"
#include "vgpu/checks/observed_access.h"
#include "vgpu/checks/undefined_values.h"

namespace cudalab::vgpu {

class UninitialisedReads {
 public:
  explicit UninitialisedReads(HazardLog& log) : log_(&log) {}

  // Global memory. `first`: the byte of the allocation at which the first active lane's access begins.
  void check_global(const ObservedAccess& access, const WrittenBits& written, std::size_t first);
  // Shared memory: a tick a granule, beyond `block_start` where written; of the granule at the first active
  // lane.
  void check_shared(const ObservedAccess& access, const std::uint32_t* write_tick, std::uint32_t block_start);

 private:
  template <class IsWritten>
  void check_lanes(const ObservedAccess& access, IsWritten is_written);
  void report(const ObservedAccess& access, int lane, std::int64_t offset);
  friend class LocalWrites;
  HazardLog* log_;
};

// Which bytes of their local memory the threads of a block have written. Byte n of a warp's 32 threads stands
// side by side, so that the usual access (the same n in all of them) is one range. A byte holds the number of
// the block that wrote it, modulo 255.
class LocalWrites {
 public:
  LocalWrites(UninitialisedReads& reads, UndefinedValues& undefined, std::size_t local_bytes,
              std::size_t warps);
  void start_block();
  void observe(const ObservedAccess& access);
  // What these lanes stored as an element stays unwritten.
  void take_back(const ObservedAccess& access, const std::vector<std::uint32_t>& lanes_of_elements);
  // A called function's variables begin unwritten.
  void forget(const Warp& warp, std::uint32_t lanes, std::size_t from, std::size_t bytes);

 private:
  std::byte* row(const Warp& warp, std::size_t byte) {
    return bytes_.get() + (warp.index * local_bytes_ + byte) * kWarpSize;
  }
  bool is_one_range(const ObservedAccess& access) const;
  void note_loaded(const ObservedAccess& access, const std::byte* base);

  UninitialisedReads* reads_;
  UndefinedValues* undefined_;
  std::vector<std::uint32_t> unwritten_;  // by element, lanes
  std::size_t local_bytes_, size_;
  std::uint8_t current_ = 0;
  HostBytes bytes_;
};

}  // namespace cudalab::vgpu
