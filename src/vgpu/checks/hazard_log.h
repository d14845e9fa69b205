// Collects the hazards of a launch: describes the accesses that checks see, merges equal hazards, and removes
// redundant advice.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/measurement.h"
#include "vgpu/block.h"
#include "vgpu/checks/block_clock.h"
#include "vgpu/checks/shadow.h"
#include "vgpu/warp.h"

namespace cudalab::vgpu {

// Makes the advice of a launch's hazards consistent: one mistake often causes several hazards.

// If two threads write one element, a barrier between its read and write is not advised. If a line races
// across warps, a warp-level barrier is not advised. A read of unwritten memory is explained by the race that
// caused it.
void agree(std::vector<Hazard>& hazards);

// Sorts an access out of bounds before the other hazards of its line, because an index that is too large also
// affects what the line reads and where it writes.
void put_out_of_bounds_first(std::vector<Hazard>& hazards);

// One warp-wide memory access, as the checks see it.

struct ObservedAccess {
  const Inst* inst;
  Warp* warp;
  const SiteInfo* info;
  const Pattern* pattern;
  const Footprint* footprint;
  AccessMode mode;
  std::uint64_t base;     // generic address of the first active lane
  const std::byte* host;  // host address of the memory at `base`
  int granule_shift;
  std::uint32_t record;  // access record (shadow.h), without the lane

  bool reads() const { return mode != AccessMode::kWrite; }
  bool writes() const { return mode != AccessMode::kRead; }
  bool is_atomic() const { return (record & kAtomic) != 0; }
  bool synchronises() const { return (record & (kAtomic | kStrong)) != 0; }
  // An ordinary load, which compilers may hoist and execute for lanes that do not need it.
  bool is_plain_load() const { return mode == AccessMode::kRead && !synchronises(); }
  Scope scope() const { return info->is_for_block ? Scope::kBlock : Scope::kGrid; }
  int element_bytes() const { return info->bytes_per_lane / std::max<int>(info->vector, 1); }
  // Address of the lane's element that contains the granule.
  std::uint64_t element_address(int lane, std::int64_t granule) const;
  std::uint32_t line() const { return record & kLineMask; }
  std::size_t bytes(const Footprint::Span& span) const { return std::size_t{span.count} << granule_shift; }
  std::int64_t offset(const Footprint::Span& span) const {
    return span.first * (std::int64_t{1} << granule_shift);
  }
};

// The register contents that `lane` stores to the granule, for a store of known shape; else nullptr.
// `granule` is relative to the first active lane's.
const std::byte* stored_value(const ObservedAccess& access, int lane, std::int64_t granule);

// Whether the store of `lane` leaves the granule unchanged.
bool stores_what_is_there(const ObservedAccess& access, int lane, std::int64_t granule);

// Unknown lines (0) never count as the same.
constexpr bool is_same_line(std::uint32_t line, std::uint32_t other) { return line != 0 && line == other; }

Message verb_of(const ObservedAccess& access);               // "reads", "writes", "updates"
Message past_verb_of(bool was_write, std::uint32_t record);  // "read", "wrote", "updated"

// Collects the hazards of the blocks that one host thread runs. Merges equal hazards and limits their number.

// The buffer or variable that contains a generic address, as messages name it.
struct Place {
  const void* identity = nullptr;  // the same for all addresses in the buffer or variable
  std::string name;                // "tile"; "" if it has none
  std::uint64_t offset = 0;        // in bytes from its beginning
  std::uint64_t bytes = 0;         // of a shared variable
  Message described;               // the wording in messages if it is neither a variable nor an allocation
  bool is_whole(std::uint64_t element_bytes) const { return offset == 0 && bytes == element_bytes; }
  // The element of this width: "`tile[3]`", "`count`"; "byte 13 of `tile`" if the offset is not aligned to
  // it, or for width 0.
  Argument element(int element_bytes) const;
  Argument called() const;  // the whole place
};
Place place_of(const Launch& launch, std::uint64_t address);
// Whether the access is half of a non-atomic update such as `x += y`: another instruction of the same line
// loads from, or stores to, the same address.
bool is_half_of_update(const ObservedAccess& access);
// Whether the variable belongs to the launched kernel.
bool is_of_kernel(const SharedVariable& variable, const Launch& launch);

class HazardLog {
 public:
  explicit HazardLog(Block& block) : block_(&block) {}
  void start_block() { in_block_ = 0; }

  // Adds a hazard. A hazard of the same kind, lines and buffer as an earlier one only increments its count;
  // otherwise `make` describes it. Lines are indices into Program::lines. If the same lines race in several
  // ways, the most specific one is reported.
  template <class Make>
  void add(HazardKind kind, std::uint32_t line, std::uint32_t other_line, const void* buffer,
           const Make& make, RacePair pair = RacePair::kNone, bool is_with_plain_load = false) {
    Hazard* const hazard = counted({kind, line, other_line, buffer}, pair, is_with_plain_load);
    if (!hazard) return;
    Hazard described = make();
    described.pair = hazard->pair;
    described.occurrences = hazard->occurrences;
    described.is_with_plain_load = hazard->is_with_plain_load;
    *hazard = std::move(described);
  }

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
  // Counts an occurrence. Returns the hazard if it must be described (again).
  Hazard* counted(Key key, RacePair pair, bool is_with_plain_load);

  Block* block_;
  int in_block_ = 0;
  std::unordered_map<Key, std::size_t, Hash> known_;  // values: indices in Block::hazards
  std::optional<std::pair<Key, std::size_t>> last_;   // an entry of known_: most hazards repeat the last one
};

}  // namespace cudalab::vgpu
