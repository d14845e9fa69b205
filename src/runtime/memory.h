// Memory that a program was given: address ranges, their kinds, managed-memory advice, and why a call fails.
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

// What the program said about where managed memory should be: advice and prefetches, by ranges of whole
// pages.

// As CUDA's cudaMemLocation; of type 0: none.
struct MemoryPlace {
  int type = 0, id = 0;
};

struct Advice {
  bool is_read_mostly = false;
  MemoryPlace preferred;
  MemoryPlace prefetched;     // the last time
  std::set<int> accessed_by;  // devices, and -1 for the host
};

class ManagedRanges {
 public:
  void change(std::uint64_t begin, std::uint64_t end, const std::function<void(Advice&)>& how);
  // Of all its parts, in their order; there is one at least.
  std::vector<Advice> of(std::uint64_t begin, std::uint64_t end) const;
  void forget(std::uint64_t begin, std::uint64_t end);  // other memory is there now

 private:
  struct Part {
    std::uint64_t end = 0;
    Advice advice;
  };
  void part_at(std::uint64_t address);

  std::map<std::uint64_t, Part> parts_;  // by their beginnings; what was never spoken of is in none
};

// How a call of the runtime API ends without success: the card's error, and why in a sentence.

struct Failure {
  cudaError_t code;
  Message why;  // may be empty
};

// Of a launch: whose return value `<<<>>>` drops.
struct LaunchFailure {
  Failure why;
  std::string kernel;
};

inline void require(bool holds, cudaError_t code, Message why) {
  if (!holds) throw Failure{code, std::move(why)};
}

cudaError_t error_of_driver(const std::string& driver_name);  // "CUDA_ERROR_ILLEGAL_ADDRESS"

// Which memory the program has been given: what lies where, of what kind, and what was there before.

class Records;

enum class MemoryKind : std::uint8_t {
  kDevice,      // cudaMalloc: the host cannot reach it
  kVariable,    // __device__, __constant__
  kPinned,      // cudaMallocHost, cudaHostAlloc
  kRegistered,  // cudaHostRegister: the program's own
  kManaged,     // cudaMallocManaged, __managed__
};

struct MemoryBlock {
  std::uint64_t address = 0;
  std::size_t bytes = 0;
  MemoryKind kind{};
  int device = 0;
  unsigned flags = 0;
  std::string name;    // as hazards call it: "cudaMalloc #1"
  CallSite from = {};  // of the allocation
  // Of the last copy or fill of the whole block or a part of it: its call, and its bytes; 0: there was none.
  CallSite filled_from = {};
  std::size_t filled_bytes = 0;
  // A graph's memory keeps its address until the graph is destroyed: what the program frees, the next launch
  // of the graph allocates again.
  bool is_graphs = false, is_freed_until_launch = false, is_in_graph_bytes = false;
  bool is_on_host() const { return kind >= MemoryKind::kPinned; }
  bool is_reached_by_host() const;  // at its address; a __managed__ variable, too
  std::uint64_t end() const { return address + bytes; }
};

class Memory {
 public:
  Memory(vgpu::VirtualGpu& gpu, Records& records, std::size_t limit_bytes);
  ~Memory();

  // Throw Failure(cudaErrorMemoryAllocation) where there is no room.
  std::uint64_t allocate(const std::string& call, std::size_t bytes, int device);
  std::uint64_t allocate_on_host(const std::string& call, std::size_t bytes, MemoryKind kind, int device,
                                 unsigned flags);
  void adopt(std::span<std::byte> host, MemoryKind kind, int device, unsigned flags, std::string name);
  void add_variable(std::string name, std::uint64_t address, std::size_t bytes, int device);
  // The block becomes a graph's.
  void give_to_graph(std::uint64_t address);
  void take_from_graph(std::uint64_t address);
  void launch_graph_with(std::uint64_t address);  // the block is allocated again
  // What a card takes for the memory of all graphs on a device, in pieces of 32 MiB (seen on an H200): from
  // the first launch until trim_graph_bytes finds that everything in it is freed.
  std::size_t graph_bytes(int device) const;
  void trim_graph_bytes(int device);
  // The most of it so far, as "used" and as "reserved", which a program sets back one by one.
  struct MostGraphBytes {
    std::size_t used = 0, reserved = 0;
  };
  MostGraphBytes& most_graph_bytes(int device) { return most_graph_bytes_[device]; }
  // Throws Failure where no block of such a kind begins there.
  void free(std::uint64_t address, bool on_host);
  void release(std::uint64_t address);  // of memory that was adopted

  // A copy or a fill writes to the block that holds `address`.
  void note_fill(std::uint64_t address, std::size_t bytes);

  const MemoryBlock* find(std::uint64_t address) const;  // that holds this byte
  const MemoryBlock* begins_at(std::uint64_t address) const;
  const MemoryBlock* freed_at(std::uint64_t address) const;  // that held this byte once
  const std::map<std::uint64_t, MemoryBlock>& blocks() const { return blocks_; }
  bool has_memory_of_both() const { return of_both_ > 0; }  // blocks that host and card reach
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

// Device addresses are none of the host's: the range is reserved, so that a program that follows a device
// pointer on the host faults there.
inline constexpr std::uint64_t kDeviceStart = 0x0600'0000'0000;
inline constexpr std::uint64_t kDeviceBytes = 0x0400'0000'0000;
inline bool is_device_address(std::uint64_t address) { return address - kDeviceStart < kDeviceBytes; }

inline bool MemoryBlock::is_reached_by_host() const { return is_on_host() || !is_device_address(address); }

}  // namespace cudalab::runtime
