// The global memory of the virtual GPU: allocations in a 64-bit address space with gaps between them, and
// snapshots of it.
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

// The virtual GPU's global memory: allocations in its own 64-bit address space, with gaps between them.

// Windows of the generic address space (PTX ISA 5.1 leaves their addresses to the implementation).
//
//   0 ........ 4 GiB      nothing: null pointers and small integers fault
//   kSharedWindow + n     byte n of the block's shared memory; from (r + 1) * kRankBytes on:
//                         shared memory of the block with rank r in the cluster
//   kLocalWindow + n      byte n of the thread's local memory
//   kParamWindow + n      byte n of the kernel's parameters
//   kFunctionWindow + n   function n of the module
//   kGlobalStart ...      allocations: global memory, and constant memory, which kernels cannot write;
//                         or from the configured start, at or above kFirstGlobal
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
  std::atomic<bool> changed_unseen{false};    // by a launch that did not update `written`
  mutable std::atomic<void*> watch{nullptr};  // data of the running launch's checks
  std::uint64_t number = 0;                   // in order of allocation
  std::uint64_t version = 0;                  // changes whenever the functions below change the contents
  // Whether the host reaches it at its address: managed and pinned memory.
  bool is_shared_with_host() const { return base == reinterpret_cast<std::uint64_t>(host.get()); }
  bool is_adopted() const { return host.get_deleter().bytes == 0; }
  std::uint64_t end() const { return base + bytes; }
};

// Changing the set of allocations is not thread-safe, except by allocate() and free(), which lock. Kernels
// look allocations up with find(), whose result is valid until the next allocation or release.
class GlobalMemory {
 public:
  explicit GlobalMemory(std::size_t limit_bytes, std::uint64_t start = kGlobalStart)
      : next_base_(start), may_use_host_addresses_(start < kGlobalStart), limit_bytes_(limit_bytes) {}
  std::size_t limit_bytes() const { return limit_bytes_; }
  std::size_t used_bytes() const { return used_bytes_; }
  const std::vector<std::unique_ptr<Allocation>>& allocations() const { return allocations_; }
  std::uint64_t newest() const { return newest_; }  // number of the newest allocation
  // After a launch: marks allocations as written that it changed without updating `written`.
  void mark_unseen_changes_written();
  bool has_room(std::size_t bytes) const {
    return bytes < limit_bytes_ - std::min(limit_bytes_, used_bytes_);
  }

  // Zero-filled, 256-byte aligned, and marked as unwritten. Throws Error(kUnavailable) if the limit is
  // exceeded.
  std::uint64_t allocate(std::string name, std::size_t bytes, bool read_only = false);
  // Makes host memory accessible to kernels at its host address, which must be at least kFirstGlobal and
  // outside every allocation. All of it counts as written. The caller still owns it, also after free(), and
  // it counts toward no limit.
  std::uint64_t adopt(std::string name, std::span<std::byte> host);
  // Memory with the same address for kernels and the host, if device addresses cannot collide with host
  // addresses (they begin below kGlobalStart); else like allocate().
  std::uint64_t allocate_managed(std::string name, std::size_t bytes);
  void free(std::uint64_t base);  // ignores an unknown base
  // While a kernel runs, which may have cached an allocation: retire() makes the allocation empty;
  // forget_retired() removes all such allocations afterwards.
  void retire(std::uint64_t base);
  void forget_retired();
  Allocation* find(std::uint64_t address);  // the allocation that contains this byte, or nullptr
  const Allocation* nearest(
      std::uint64_t address) const;  // the allocation that ends or begins closest, for messages

  // Host access: throws Error(kUsage) unless the whole range is inside one allocation.
  void write(std::uint64_t address, std::span<const std::byte> from);
  void read(std::uint64_t address, std::span<std::byte> to);
  void fill(std::uint64_t address, std::size_t bytes, std::uint8_t value, bool poison);
  // Bytes never written in `from` count as unwritten in `to`.
  void copy(std::uint64_t to, std::uint64_t from, std::size_t bytes);
  std::byte* host_bytes(std::uint64_t address, std::size_t bytes);
  void note_written(std::uint64_t address, std::size_t bytes);
  // The unwritten runs of a range, relative to its beginning.
  std::vector<ByteRun> unwritten(std::uint64_t address, std::size_t bytes);

 private:
  Allocation& holding(std::uint64_t address, std::size_t bytes);
  Allocation& to_change(std::uint64_t address, std::size_t bytes);  // the same, with a new version
  std::uint64_t insert(std::unique_ptr<Allocation> allocation);
  std::vector<std::unique_ptr<Allocation>> allocations_;  // by base, ascending
  std::uint64_t next_base_, newest_ = 0;
  bool may_use_host_addresses_;
  std::size_t limit_bytes_, used_bytes_ = 0;
  std::mutex mutex_;
};

// The contents of global memory at one point in time, for restoring them later.

class MemorySnapshot {
 public:
  explicit MemorySnapshot(const GlobalMemory& memory);
  // Keeps newer allocations, and does not restore those that were freed since.
  void restore(const GlobalMemory& memory) const;
  bool has(std::uint64_t base) const;  // whether an allocation with this base is saved

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
