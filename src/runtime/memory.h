// The memory that a program has allocated: address ranges, their kinds, managed-memory advice, and the
// failures of calls.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/diagnostics/message.h"
#include "core/programs/program_record.h"
#include "vgpu/vgpu.h"

namespace cudalab::runtime {

// The program's advice and prefetches for managed memory, by ranges of whole pages.

// Corresponds to cudaMemLocation. Type 0 means no location.
struct MemoryPlace {
  int type = 0, id = 0;
};

struct Advice {
  bool is_read_mostly = false;
  MemoryPlace preferred;
  MemoryPlace prefetched;     // the last target of a prefetch
  std::set<int> accessed_by;  // device numbers; -1 is the host
};

class ManagedRanges {
 public:
  void change(std::uint64_t begin, std::uint64_t end, const std::function<void(Advice&)>& how);
  // The advice of each part of the range, in address order, at least one. A gap counts as a part without
  // advice.
  std::vector<Advice> of(std::uint64_t begin, std::uint64_t end) const;
  void forget(std::uint64_t begin, std::uint64_t end);  // for memory that was freed

 private:
  struct Part {
    std::uint64_t end = 0;
    Advice advice;
  };
  void part_at(std::uint64_t address);

  std::map<std::uint64_t, Part> parts_;  // by first address; ranges without advice have no part
};

// A failed call of the runtime API: the error code that CUDA returns, and a sentence with the reason.

struct Failure {
  cudaError_t code;
  Message why;  // may be empty
};

// A failed launch. Unlike other failures it has no return value that the program could check, because
// `<<<>>>` returns none.
struct LaunchFailure {
  Failure why;
  std::string kernel;
};

inline void require(bool holds, cudaError_t code, Message why) {
  if (!holds) throw Failure{code, std::move(why)};
}

cudaError_t error_of_driver(const std::string& driver_name);  // e.g. "CUDA_ERROR_ILLEGAL_ADDRESS"

class Records;

enum class MemoryKind : std::uint8_t {
  kDevice,      // cudaMalloc: the host cannot reach it
  kVariable,    // __device__, __constant__
  kPinned,      // cudaMallocHost, cudaHostAlloc
  kRegistered,  // cudaHostRegister: memory that the program allocated itself
  kManaged,     // cudaMallocManaged, __managed__
};

struct MemoryBlock {
  std::uint64_t address = 0;
  std::size_t bytes = 0;
  MemoryKind kind{};
  int device = 0;
  unsigned flags = 0;
  std::string name;    // as reports name it: "cudaMalloc #1"
  CallSite from = {};  // of the allocation
  // The last copy or memset that wrote to the block: its call, and the bytes that it wrote (0: none so far).
  CallSite filled_from = {};
  std::size_t filled_bytes = 0;
  // For cudaMallocPitch and cudaMalloc3D: the bytes of a row, and the distance between rows. 0 for other
  // memory.
  std::size_t row_bytes = 0, pitch = 0;
  // Memory of a graph keeps its address until the graph is destroyed. If the program frees it, the next
  // launch of the graph allocates it again.
  bool is_graphs = false, is_freed_until_launch = false, is_in_graph_bytes = false;
  bool is_expected = false;  // of a graph: allocated once all queued launches and frees have run
  bool is_on_host() const { return kind >= MemoryKind::kPinned; }
  // Whether the host can access the block at its address. True for __managed__ variables, too.
  bool is_reached_by_host() const;
  std::uint64_t end() const { return address + bytes; }
};

class Memory {
 public:
  Memory(vgpu::VirtualGpu& gpu, Records& records, std::size_t limit_bytes);
  ~Memory();

  // Throws Failure(cudaErrorMemoryAllocation) if there is not enough memory.
  std::uint64_t allocate(const char* runtime_call, std::size_t bytes, int device);
  std::uint64_t allocate_rows(const char* runtime_call, std::size_t row_bytes, std::size_t pitch,
                              std::size_t rows, int device);
  std::uint64_t allocate_on_host(const char* runtime_call, std::size_t bytes, MemoryKind kind, int device,
                                 unsigned flags);
  void adopt(std::span<std::byte> host, MemoryKind kind, int device, unsigned flags, std::string name);
  void add_variable(std::string name, std::uint64_t address, std::size_t bytes, int device);
  // The graph owns the block from now on, or ceases to own it.
  void give_to_graph(std::uint64_t address);
  void take_from_graph(std::uint64_t address);
  void launch_graph_with(std::uint64_t address);  // allocates the block again
  // A launch that allocates the block, or a call that frees it, is queued. Returns whether the block was
  // expected to be allocated before.
  bool expect(std::uint64_t address, bool is_allocated);
  // The memory that the graphs on a device reserve, in units of 32 MiB as on an H200. It is held from the
  // first launch until trim_graph_bytes() finds all of it freed.
  std::size_t graph_bytes(int device) const;
  void trim_graph_bytes(int device);
  // The high-water marks of "used" and "reserved", which a program can reset separately.
  struct MostGraphBytes {
    std::size_t used = 0, reserved = 0;
  };
  MostGraphBytes& most_graph_bytes(int device) { return most_graph_bytes_[device]; }
  // Throws Failure if no block of this kind begins at the address.
  void free(std::uint64_t address, bool on_host);
  void release(std::uint64_t address);  // for adopted memory, which is not freed

  // Notes that a copy or a memset writes `bytes` bytes from `address` on.
  void note_fill(std::uint64_t address, std::size_t bytes);

  const MemoryBlock* find(std::uint64_t address) const;  // the block that contains this byte; null: none
  const MemoryBlock* begins_at(std::uint64_t address) const;
  const MemoryBlock* freed_at(std::uint64_t address) const;  // the freed block that contained this byte
  const std::map<std::uint64_t, MemoryBlock>& blocks() const { return blocks_; }
  // Whether there are blocks that both host and GPU reach.
  bool has_memory_of_both() const { return of_both_ > 0; }
  std::size_t limit_bytes() const { return limit_bytes_; }
  std::size_t used_bytes(int device) const;
  void free_all(int device);  // cudaDeviceReset

 private:
  std::string next_name(const std::string& call);
  void add(MemoryBlock block, const std::string& call);
  void require_room(std::size_t bytes, int device) const;
  void give_back(const MemoryBlock& block);

  vgpu::VirtualGpu* gpu_;
  Records* records_;
  std::size_t limit_bytes_;
  std::map<std::uint64_t, MemoryBlock> blocks_, freed_;
  std::map<int, std::size_t> used_;
  int next_number_ = 1;
  std::size_t of_both_ = 0;
  std::map<int, MostGraphBytes> most_graph_bytes_;
};

// The range of device addresses. It is reserved in the host's address space, so a program that dereferences a
// device pointer on the host always faults.
inline constexpr std::uint64_t kDeviceStart = 0x0600'0000'0000;
inline constexpr std::uint64_t kDeviceBytes = 0x0400'0000'0000;
inline bool is_device_address(std::uint64_t address) { return address - kDeviceStart < kDeviceBytes; }

inline bool MemoryBlock::is_reached_by_host() const { return is_on_host() || !is_device_address(address); }

}  // namespace cudalab::runtime
