// Counts how often the threads of a launch load and store each element of their buffers and shared variables.
// Enabled by LaunchOptions::record_uses; the result is Recording::uses.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/measurement.h"
#include "vgpu/block.h"

namespace cudalab::vgpu {

using NameAt = std::string (*)(const Launch& launch, std::uint64_t address);

// Base and size of the buffer or shared variable that contains this generic address.
std::optional<std::pair<std::uint64_t, std::uint64_t>> range_of(const Launch& launch, std::uint64_t address);

// One per host thread, so no locks are needed.
class UseTally {
 public:
  explicit UseTally(const Launch& launch);

  // Counts one access by the active lanes of a warp; `base` is the generic address of the first active lane.
  void add(const SiteInfo& site, const Pattern& pattern, std::uint64_t base);

 private:
  friend std::vector<BufferUse> join_uses(const Launch& launch, std::span<const UseTally* const> tallies,
                                          NameAt name_at);
  struct Counts {
    std::uint64_t base = 0, bytes = 0;                  // of the buffer; `base` is a generic address
    std::vector<std::uint32_t> loads, stores, updates;  // per granule
    std::map<std::pair<std::uint32_t, AccessKind>, std::uint64_t> lines;  // by index into Program::lines
    std::uint32_t element_bytes = 0;                                      // width of the narrowest access
  };
  // The counters for the byte at this generic address; nullptr for local memory, other blocks' shared memory
  // and large buffers.
  Counts* counts_of(std::uint64_t address);

  const Launch* launch_;
  int granule_shift_;
  std::map<std::uint64_t, Counts> buffers_;  // by base
  Counts* last_ = nullptr;                   // last result of counts_of()
};

// The sum over the host threads: buffers by address, then shared variables. `name_at` returns the name of the
// buffer or variable that begins at a generic address.
std::vector<BufferUse> join_uses(const Launch& launch, std::span<const UseTally* const> tallies,
                                 NameAt name_at);

}  // namespace cudalab::vgpu
