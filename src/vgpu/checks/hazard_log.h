// Collects the hazards of the blocks that one host thread runs: equal ones together, and not more than a
// reader can use.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "vgpu/block.h"

namespace cudalab::vgpu {

// The buffer or variable that a generic address lies in, as messages name it.
struct Place {
  const void* identity = nullptr;  // the same for all addresses in it
  std::string name;                // "tile"; "" where there is none
  std::uint64_t offset = 0;        // bytes from its beginning
  std::uint64_t bytes = 0;         // of a shared variable
  bool is_whole(std::uint64_t element_bytes) const { return offset == 0 && bytes == element_bytes; }
  // As the element of this width that it is: "`tile[3]`", "`count`"; "byte 13 of `tile`" where it is none, or
  // for 0.
  std::string text(int element_bytes) const;
};
Place place_of(const Launch& launch, std::uint64_t address);
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
