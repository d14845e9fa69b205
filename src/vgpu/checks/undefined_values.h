// Finds reads of unwritten memory, and follows undefined values to their use.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "vgpu/checks/hazard_log.h"
#include "vgpu/program.h"

namespace cudalab::vgpu {

// Follows undefined values from their origin to their use. They arise from loads of local memory that the
// thread has not written, and from shuffles that read an inactive lane. Compilers hoist loads above
// conditions and discard unused results, and lanes of a shuffle receive values that are never used. So an
// undefined value is a hazard only if it decides a branch or an address, or is stored; the report names the
// line of its origin.
//
// Values are not followed through bit extraction and insertion, calls, votes and matrices. Copies of single
// bytes, and of some elements of a vector, may be padding and are not reported.

class UndefinedValues {
 public:
  explicit UndefinedValues(HazardLog& log) : log_(&log) {}
  void start_block(Block& block);

  // A load of local memory; call before its ValueStep. `unwritten`: by element, the lanes whose bytes are
  // unwritten.
  void loaded(const ObservedAccess& access, const std::vector<std::uint32_t>& unwritten);
  void follow(const ValueStep& step, const Inst* inst, Warp& warp);

  // A store; call after its ValueStep. Returns, by element, the lanes that store undefined values to local
  // memory; usually none.
  const std::vector<std::uint32_t>& stored(const ObservedAccess& access);
  // A store to local memory makes the bytes that it writes defined. Call before stored().
  void define_local(const ObservedAccess& access) {
    if (!kept_.empty()) forget_kept(access);
  }
  // An access to shared memory that may hold undefined values; a write makes them defined.
  void touch_shared(const ObservedAccess& access) {
    if (!carried_.empty()) touch_carried(access);
  }

 private:
  struct Origin {
    const Inst* inst;
    bool is_shuffle, matters_when_stored;
    std::uint32_t lanes;                         // lanes in which the value arose
    std::array<std::uint64_t, kWarpSize> where;  // by lane: the address, or the source lane of a shuffle
    std::array<bool, kWarpSize> named;           // for a shuffle: the mask names the source lane
  };
  struct Undefined {
    std::uint32_t lanes = 0, origin = 0;
  };
  struct Held {
    int frame;
    std::uint32_t slot;
    Undefined value;
  };
  struct Carried {  // through shared memory
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
  // Origins of undefined values stored in local memory, by thread and first byte.
  std::unordered_map<std::uint64_t, std::uint32_t> kept_;
};

// Finds reads of memory that was never written.
//
// A read is reported if all bytes that a lane reads are unwritten, or if one element of its vector load is
// unwritten and the kernel computes with it. An element that is only stored again is not reported: compilers
// copy whole structures including padding. Loads of local memory are followed instead (UndefinedValues).
// Through a generic pointer they cannot be followed, and are reported only if the kernel computes with an
// unwritten element, even for loads of one element.

class UninitialisedReads {
 public:
  explicit UninitialisedReads(HazardLog& log) : log_(&log) {}

  // `first`: offset in the allocation of the first active lane's access.
  void check_global(const ObservedAccess& access, const WrittenBits& written, std::size_t first);
  // `write_tick`: one tick per granule, starting with the first active lane's; larger than `block_start` if
  // written.
  void check_shared(const ObservedAccess& access, const std::uint32_t* write_tick, std::uint32_t block_start);

 private:
  template <class IsWritten>
  void check_lanes(const ObservedAccess& access, IsWritten is_written);
  void report(const ObservedAccess& access, int lane, std::int64_t offset);
  friend class LocalWrites;
  HazardLog* log_;
};

// Tracks which bytes of their local memory the threads of a block have written. Byte n of a warp's 32 threads
// is contiguous, so the usual access (the same n in all threads) is one range. A byte holds the number of the
// block that wrote it, modulo 255.
class LocalWrites {
 public:
  LocalWrites(UninitialisedReads& reads, UndefinedValues& undefined, std::size_t local_bytes,
              std::size_t warps);
  void start_block();
  void observe(const ObservedAccess& access);
  // Marks as unwritten what these lanes stored as an element.
  void take_back(const ObservedAccess& access, const std::vector<std::uint32_t>& lanes_of_elements);
  // Marks the variables of a called function as unwritten.
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
