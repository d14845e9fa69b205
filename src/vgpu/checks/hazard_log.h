// Collects the hazards of a launch: the accesses that checks see, merging equal hazards, and removing
// duplicate advice.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/measurement.h"
#include "vgpu/block.h"
#include "vgpu/checks/block_clock.h"
#include "vgpu/checks/shadow.h"
#include "vgpu/warp.h"

namespace cudalab::vgpu {

// Lets the hazards of a launch agree on what helps: one mistake is often found in several ways.

// Where two threads write one element, no barrier between the read and the write of it is advised; where one
// of the lines races across warps, none of a warp; and who reads what nobody has written yet is told why.
void agree(std::vector<Hazard>& hazards);

// One warp-wide access to memory, as the checks see it.

struct ObservedAccess {
  const Inst* inst;
  Warp* warp;
  const SiteInfo* info;
  const Pattern* pattern;
  const Footprint* footprint;
  AccessMode mode;
  std::uint64_t base;     // generic address of the first active lane
  const std::byte* host;  // its memory
  int granule_shift;
  std::uint32_t record;  // shadow.h; the lane is added

  bool reads() const { return mode != AccessMode::kWrite; }
  bool writes() const { return mode != AccessMode::kRead; }
  bool is_atomic() const { return (record & kAtomic) != 0; }
  bool synchronises() const { return (record & (kAtomic | kStrong)) != 0; }
  // An ordinary load, which compilers move and let lanes do that need not.
  bool is_plain_load() const { return mode == AccessMode::kRead && !synchronises(); }
  Scope scope() const { return info->is_for_block ? Scope::kBlock : Scope::kGrid; }
  int element_bytes() const { return info->bytes_per_lane / std::max<int>(info->vector, 1); }
  // Of the lane's element that holds the granule.
  std::uint64_t element_address(int lane, std::int64_t granule) const;
  std::uint32_t line() const { return record & kLineMask; }
  std::size_t bytes(const Footprint::Span& span) const { return std::size_t{span.count} << granule_shift; }
  std::int64_t offset(const Footprint::Span& span) const {
    return span.first * (std::int64_t{1} << granule_shift);
  }
};

// What the accessing lane of a granule has in its registers for it, of a store with a known shape; else
// nullptr. `granule` is relative to the first active lane's.
const std::byte* stored_value(const ObservedAccess& access, int lane, std::int64_t granule);

// Whether the store of `lane` leaves the granule as it is.
bool stores_what_is_there(const ObservedAccess& access, int lane, std::int64_t granule);

// Where no line is known, nothing is said of lines.
constexpr bool is_same_line(std::uint32_t line, std::uint32_t other) { return line != 0 && line == other; }

Message verb_of(const ObservedAccess& access);               // "reads", "writes", "updates"
Message past_verb_of(bool was_write, std::uint32_t record);  // "read", "wrote", "updated"

// Collects the hazards of the blocks that one host thread runs: equal ones together, and not more than a
// reader can use.

// The buffer or variable that a generic address lies in, as messages name it.
struct Place {
  const void* identity = nullptr;  // the same for all addresses in it
  std::string name;                // "tile"; "" where there is none
  std::uint64_t offset = 0;        // bytes from its beginning
  std::uint64_t bytes = 0;         // of a shared variable
  Message described;               // how messages call it where it is no variable and no allocation
  bool is_whole(std::uint64_t element_bytes) const { return offset == 0 && bytes == element_bytes; }
  // As the element of this width that it is: "`tile[3]`", "`count`"; "byte 13 of `tile`" where it is none, or
  // for 0.
  Argument element(int element_bytes) const;
  Argument called() const;  // the whole of it
};
Place place_of(const Launch& launch, std::uint64_t address);
// Whether the access is one half of an update such as `x += y` that is not atomic: another instruction of the
// same line loads from, or stores to, the same address.
bool is_half_of_update(const ObservedAccess& access);
// Whether the launched kernel has the shared variable.
bool is_of_kernel(const SharedVariable& variable, const Launch& launch);

class HazardLog {
 public:
  explicit HazardLog(Block& block) : block_(&block) {}
  void start_block() { in_block_ = 0; }

  // Two hazards of the same kind, lines and buffer are one that occurred twice; `make` describes a new one.
  // Lines are indices into Program::lines.
  // The same lines may race in several ways: the one that says most is told.
  void add(HazardKind kind, std::uint32_t line, std::uint32_t other_line, const void* buffer,
           const std::function<Hazard()>& make, RacePair pair = RacePair::kNone,
           bool is_with_plain_load = false);

 private:
  static constexpr int kMostInBlock = 64;
  static constexpr std::size_t kMost = 1024;
  struct Key {
    HazardKind kind;
    std::uint32_t line, other_line;
    const void* buffer;
    friend bool operator==(const Key&, const Key&) = default;
  };
  struct Hash {
    std::size_t operator()(const Key& key) const;
  };
  Block* block_;
  int in_block_ = 0;
  std::unordered_map<Key, std::size_t, Hash> known_;  // to Block::hazards
};

}  // namespace cudalab::vgpu
