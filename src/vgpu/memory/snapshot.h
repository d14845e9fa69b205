// What global memory holds at one moment, to be put back later.
#pragma once

#include <vector>

#include "vgpu/memory/memory.h"

namespace cudalab::vgpu {

class MemorySnapshot {
 public:
  explicit MemorySnapshot(const GlobalMemory& memory);
  // What was allocated since stays, and what was freed since is not there again.
  void restore(const GlobalMemory& memory) const;
  bool has(std::uint64_t base) const;  // an allocation that begins there

 private:
  struct Saved {
    std::uint64_t base;
    std::vector<std::byte> contents;
    std::vector<std::uint64_t> written;
    bool changed_unseen;
  };
  std::vector<Saved> saved_;  // by base, ascending
};

}  // namespace cudalab::vgpu
