// Finds reads of unwritten memory, and follows undefined values to where they matter.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "vgpu/checks/hazard_log.h"
#include "vgpu/program.h"

namespace cudalab::vgpu {

// Follows values that nobody gave, from where they arise to where they matter: what a thread loads of local
// memory that it has not written, and what a shuffle takes from a lane that does not take part. Compilers
// load ahead of a condition and throw away what they must not use, and lanes of a shuffle get values that
// nobody wants; so only an undefined value that decides a branch or an address, or that is stored, is a
// hazard, with the line it came from.
//
// Where a value goes through bits that are cut out and put together, through a call, a vote or a matrix it is
// lost from sight. Copies of single bytes, and of some elements of a vector, may be padding and are silent.

class UndefinedValues {
 public:
  explicit UndefinedValues(HazardLog& log) : log_(&log) {}
  void start_block(Block& block);

  // A load of local memory, before its ValueStep: by element, the lanes whose bytes are unwritten.
  void loaded(const ObservedAccess& access, const std::vector<std::uint32_t>& unwritten);
  void follow(const ValueStep& step, const Inst* inst, Warp& warp);

  // A store, after its ValueStep. Returns, by element, the lanes that store undefined values to local memory;
  // mostly none.
  const std::vector<std::uint32_t>& stored(const ObservedAccess& access);
  // A store to local memory, before `stored`: what it writes it defines.
  void define_local(const ObservedAccess& access) {
    if (!kept_.empty()) forget_kept(access);
  }
  // An access to shared memory that may hold undefined values: what it writes it defines.
  void touch_shared(const ObservedAccess& access) {
    if (!carried_.empty()) touch_carried(access);
  }

 private:
  struct Origin {
    const Inst* inst;
    bool is_shuffle, matters_when_stored;
    std::uint32_t lanes;                         // where it arose
    std::array<std::uint64_t, kWarpSize> where;  // by lane: the address, or the lane that was read
    std::array<bool, kWarpSize> named;           // of a shuffle: the mask names that lane
  };
  struct Undefined {
    std::uint32_t lanes = 0, origin = 0;
  };
  struct Held {
    int frame;
    std::uint32_t slot;
    Undefined value;
  };
  struct Carried {  // by shared memory
    std::uint32_t origin, warp;
  };

  std::vector<Held>& held_by(const Warp& warp) { return held_[warp.index]; }
  Undefined of(const Warp& warp, Slot slot);
  void set(Warp& warp, Slot slot, Undefined value);
  Undefined result_of(const ValueStep& step, const Warp& warp);
  Undefined mixed(const ValueStep& step, const Warp& warp);
  Undefined selected(const ValueStep& step, const Warp& warp);
  Undefined decided(const ValueStep& step, const Warp& warp, bool deciding);
  Undefined shuffled(const ValueStep& step, const Inst* inst, Warp& warp);
  std::uint32_t new_origin(Origin origin);
  void touch_carried(const ObservedAccess& access);
  void report(const Warp& warp, std::uint32_t origin, std::uint32_t lanes);
  void report_read(const Warp& warp, const Origin& origin, int lane);
  void report_shuffle(const Warp& warp, const Origin& origin, int lane);
  void carry(const ObservedAccess& access, std::size_t element, Undefined value);
  void keep(const ObservedAccess& access, std::size_t element, Undefined value);
  void forget_kept(const ObservedAccess& access);
  std::optional<std::uint32_t> kept_origin(const ObservedAccess& access, std::uint32_t lanes,
                                           std::size_t element) const;

  HazardLog* log_;
  Block* block_ = nullptr;
  std::vector<Origin> origins_;
  std::vector<std::vector<Held>> held_;                 // by warp
  std::vector<Undefined> loading_, storing_;            // by element
  std::vector<std::uint32_t> stored_lanes_;             // by element
  std::unordered_map<std::uint64_t, Carried> carried_;  // by byte of shared memory
  // What was stored in local memory though it was undefined: the origin, by thread and first byte.
  std::unordered_map<std::uint64_t, std::uint32_t> kept_;
};

// Finds reads of memory that nobody has written.
//
// What counts as such a read: a lane reads only unwritten bytes; or one element of its vector load is
// unwritten and the kernel computes with it. An element that is only stored again does not count: compilers
// copy structures whole, with the padding between their members. What is loaded of local memory is followed
// (undefined_values.h); through a generic pointer the same rule holds for it, and for single loads too.

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
