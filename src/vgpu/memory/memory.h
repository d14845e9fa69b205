// The global memory of the virtual GPU: allocations in a 64-bit address space, with gaps, and snapshots of
// it.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "vgpu/memory/written_bits.h"

namespace cudalab::vgpu {

// The virtual GPU's global memory: allocations in a 64-bit address space of its own, with gaps between them.

// Windows of the generic address space (PTX ISA 5.1 leaves their place to the implementation).
//
//   0 ........ 4 GiB      nothing: null pointers and small integers fault
//   kSharedWindow + n     byte n of the block's shared memory; from (r + 1) * kRankBytes on, of the shared
//   memory
//                         of the block with rank r in the cluster
//   kLocalWindow + n      byte n of the thread's local memory
//   kParamWindow + n      byte n of the kernel's parameters
//   kFunctionWindow + n   the n-th function of the module
//   kGlobalStart ...      allocations: global memory, and constant memory, which is read-only to kernels.
//   They begin
//                         there, or where the device's owner says, at or above kFirstGlobal
inline constexpr std::uint64_t kWindowBytes = 1ull << 32;
inline constexpr std::uint64_t kSharedWindow = 0x0100'0000'0000;
inline constexpr std::uint64_t kRankBytes = 1ull << 24;
inline constexpr std::uint64_t kLocalWindow = 0x0200'0000'0000;
inline constexpr std::uint64_t kParamWindow = 0x0300'0000'0000;
inline constexpr std::uint64_t kFunctionWindow = 0x0400'0000'0000;
inline constexpr std::uint64_t kFirstGlobal = 0x0600'0000'0000;
inline constexpr std::uint64_t kGlobalStart = 0x7f00'0000'0000;

struct Allocation {
  std::uint64_t base = 0;
  std::size_t bytes = 0;
  std::string name;
  bool read_only = false;  // constant memory
  HostBytes host;
  WrittenBits written;
  std::atomic<bool> changed_unseen{false};    // by a launch that did not keep `written`
  mutable std::atomic<void*> watch{nullptr};  // of the checks of the running launch
  std::uint64_t number = 0;                   // later ones have higher numbers
  bool is_adopted() const { return host.get_deleter().bytes == 0; }
  std::uint64_t end() const { return base + bytes; }
};

// Not thread-safe where it changes the set of allocations, except for allocate and free, which lock.
// Kernels look allocations up through `find`, which is valid as long as nothing is allocated or freed
// meanwhile.
class GlobalMemory {
 public:
  explicit GlobalMemory(std::size_t limit_bytes, std::uint64_t start = kGlobalStart)
      : next_base_(start), may_use_host_addresses_(start < kGlobalStart), limit_bytes_(limit_bytes) {}
  std::size_t limit_bytes() const { return limit_bytes_; }
  std::size_t used_bytes() const { return used_bytes_; }
  const std::vector<std::unique_ptr<Allocation>>& allocations() const { return allocations_; }
  std::uint64_t newest() const { return newest_; }  // its number
  // After a launch: what it changed unseen counts as written.
  void mark_unseen_changes_written();
  bool has_room(std::size_t bytes) const {
    return bytes < limit_bytes_ - std::min(limit_bytes_, used_bytes_);
  }

  // Zero-filled, 256-byte aligned, and marked as unwritten. Throws Error(kUnavailable) beyond the limit.
  std::uint64_t allocate(std::string name, std::size_t bytes, bool read_only = false);
  // The host's own memory, which kernels reach at the host's address of it: at least kFirstGlobal, and in
  // nobody else's allocation. All of it counts as written. It stays the caller's, also after `free`, and is
  // in no limit.
  std::uint64_t adopt(std::string name, std::span<std::byte> host);
  // Memory at one address for kernels and the host, where device addresses are none of the host's (they begin
  // below kGlobalStart); else as `allocate`.
  std::uint64_t allocate_managed(std::string name, std::size_t bytes);
  void free(std::uint64_t base);  // an unknown base is ignored
  // While a kernel runs, which may remember where it found an allocation: makes it empty; and removes all
  // such ones.
  void retire(std::uint64_t base);
  void forget_retired();
  Allocation* find(std::uint64_t address);  // the one that holds this byte, or nullptr
  const Allocation* nearest(
      std::uint64_t address) const;  // the one that ends or begins closest, for messages

  // Host access: throws Error(kUsage) unless the whole range is inside one allocation.
  void write(std::uint64_t address, std::span<const std::byte> from);
  void read(std::uint64_t address, std::span<std::byte> to);
  void fill(std::uint64_t address, std::size_t bytes, std::uint8_t value, bool poison);
  // What was never written in `from` counts as unwritten in `to`.
  void copy(std::uint64_t to, std::uint64_t from, std::size_t bytes);
  // The bytes of a range that nobody wrote, counted from its beginning.
  std::vector<ByteRun> unwritten(std::uint64_t address, std::size_t bytes);

 private:
  Allocation& holding(std::uint64_t address, std::size_t bytes);
  std::uint64_t insert(std::unique_ptr<Allocation> allocation);
  std::vector<std::unique_ptr<Allocation>> allocations_;  // by base, ascending
  std::uint64_t next_base_, newest_ = 0;
  bool may_use_host_addresses_;
  std::size_t limit_bytes_, used_bytes_ = 0;
  std::mutex mutex_;
};

// What global memory holds at one moment, to be put back later.

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
