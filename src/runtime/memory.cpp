// The memory that a program has allocated: address ranges, their kinds, managed-memory advice, and the
// failures of calls.
#include "runtime/memory.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstdint>

#include "core/alignment.h"
#include "core/error.h"
#include "core/programs/cuda_errors.h"
#include "messages/runtime.h"
#include "runtime/records.h"
#include "runtime/runtime.h"
#include "vgpu/counters/access_costs.h"

namespace cudalab::runtime {
namespace {

std::uint64_t page_size() {
  static const auto bytes = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  return bytes;
}
std::uint64_t first_page(std::uint64_t begin) { return begin / page_size() * page_size(); }
std::uint64_t last_page_end(std::uint64_t end) { return round_up(end, page_size()); }

}  // namespace

// Splits the part that contains `address`. A part then begins there.
void ManagedRanges::part_at(std::uint64_t address) {
  auto holder = parts_.lower_bound(address);
  if (holder == parts_.begin()) return;
  Part& before = std::prev(holder)->second;
  if (before.end <= address) return;
  parts_[address] = before;
  before.end = address;
}

void ManagedRanges::change(std::uint64_t begin, std::uint64_t end, const std::function<void(Advice&)>& how) {
  begin = first_page(begin), end = last_page_end(end);
  part_at(begin);
  part_at(end);
  for (std::uint64_t at = begin; at < end;) {
    const auto next = parts_.lower_bound(at);
    const std::uint64_t next_begin = next == parts_.end() ? end : std::min(end, next->first);
    if (next_begin > at) parts_[at] = {next_begin, {}};
    Part& part = parts_[at];
    how(part.advice);
    at = part.end;
  }
}

std::vector<Advice> ManagedRanges::of(std::uint64_t begin, std::uint64_t end) const {
  begin = first_page(begin), end = last_page_end(end);
  std::vector<Advice> found;
  std::uint64_t reached = begin;  // covered so far, to find gaps between parts
  auto at = parts_.upper_bound(begin);
  if (at != parts_.begin()) --at;
  for (; at != parts_.end() && at->first < end; ++at) {
    if (at->second.end <= begin) continue;
    if (at->first > reached) found.push_back({});
    found.push_back(at->second.advice);
    reached = at->second.end;
  }
  if (reached < end || found.empty()) found.push_back({});
  return found;
}

void ManagedRanges::forget(std::uint64_t begin, std::uint64_t end) {
  begin = first_page(begin), end = last_page_end(end);
  part_at(begin);
  part_at(end);
  parts_.erase(parts_.lower_bound(begin), parts_.lower_bound(end));
}

// The virtual GPU reports errors by their names in the driver API.
cudaError_t error_of_driver(const std::string& driver_name) {
  const CudaErrorText* found = find_driver_error(driver_name);
  return found ? static_cast<cudaError_t>(found->code) : cudaErrorLaunchFailure;
}

namespace {

const MemoryBlock* block_holding(const std::map<std::uint64_t, MemoryBlock>& blocks, std::uint64_t address) {
  auto above = blocks.upper_bound(address);
  if (above == blocks.begin()) return nullptr;
  const MemoryBlock& block = std::prev(above)->second;
  return address < block.end() ? &block : nullptr;
}

std::size_t bytes_of_page() { return static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)); }
std::size_t whole_pages(std::size_t bytes) {
  return round_up(std::max<std::size_t>(bytes, 1), bytes_of_page());
}

// The cost of atomics depends on some address bits. Aligning each block to its size makes these bits the same
// in every run.
std::size_t alignment_of(std::size_t bytes) {
  constexpr std::size_t kMost = 1u << vgpu::kQueueAddressBits;
  return std::clamp(bytes < kMost ? std::bit_ceil(bytes) : kMost, bytes_of_page(), kMost);
}

// Maps a protected page before and after the memory, so a host that accesses memory out of bounds faults.
void* map_pages(std::size_t bytes, bool is_guarded) {
  const std::size_t page = bytes_of_page(), more = alignment_of(bytes) + page;
  if (bytes > SIZE_MAX - more) return nullptr;
  void* pages = ::mmap(nullptr, bytes + more, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (pages == MAP_FAILED) return nullptr;
  auto* const mapped = static_cast<std::byte*>(pages);
  const auto address = reinterpret_cast<std::uint64_t>(mapped);
  std::byte* const first = mapped + (round_up(address + page, alignment_of(bytes)) - address);
  const auto before = static_cast<std::size_t>(first - page - mapped), behind = more - 2 * page - before;
  if (before > 0) ::munmap(mapped, before);
  if (behind > 0) ::munmap(first + bytes + page, behind);
  if (is_guarded) {
    ::mprotect(first - page, page, PROT_NONE);
    ::mprotect(first + bytes, page, PROT_NONE);
  }
  return first;
}

void unmap_pages(std::uint64_t address, std::size_t bytes) {
  const std::size_t page = bytes_of_page();
  ::munmap(reinterpret_cast<void*>(address - page), bytes + 2 * page);
}

// The rest of the last page belongs to no allocation and is zero at first. A byte that is not 0 was written
// by the host.
std::size_t written_behind(const MemoryBlock& block) {
  const auto* rest = reinterpret_cast<const std::byte*>(block.end());
  const auto count = static_cast<std::ptrdiff_t>(whole_pages(block.bytes) - block.bytes);
  const auto* found = std::find_if(rest, rest + count, [](std::byte byte) { return byte != std::byte{0}; });
  return found == rest + count ? 0 : block.bytes + static_cast<std::size_t>(found - rest);
}

void tell_of_writes_behind(const MemoryBlock& block) {
  if (const std::size_t byte = written_behind(block))
    report_mistake(MistakeKind::kBeyondTheEnd,
                   msg::host_wrote_beyond_end(byte, Code{block.name}, block.bytes),
                   msg::advice_check_index_or_allocate());
}

}  // namespace

Memory::Memory(vgpu::VirtualGpu& gpu, Records& records, std::size_t limit_bytes)
    : gpu_(&gpu), records_(&records), limit_bytes_(limit_bytes) {
  ::mmap(reinterpret_cast<void*>(kDeviceStart), kDeviceBytes, PROT_NONE,
         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
}

Memory::~Memory() { ::munmap(reinterpret_cast<void*>(kDeviceStart), kDeviceBytes); }

std::string Memory::next_name(const std::string& call) { return fmt::format("{} #{}", call, next_number_++); }

void Memory::add(MemoryBlock block, const std::string& call) {
  if (!call.empty()) {
    block.from = call_site();
    records_->send(ProgramAllocation{call, block.name, block.address, block.bytes, block.from});
  }
  const auto after = freed_.lower_bound(block.address);
  freed_.erase(after, freed_.lower_bound(block.end()));
  of_both_ += block.is_reached_by_host();
  blocks_[block.address] = std::move(block);
}

void Memory::note_fill(std::uint64_t address, std::size_t bytes) {
  auto found = blocks_.upper_bound(address);
  if (found == blocks_.begin()) return;
  MemoryBlock& block = (--found)->second;
  if (address >= block.end() || block.kind != MemoryKind::kDevice || !records_->is_watched()) return;
  block.filled_from = call_site();
  block.filled_bytes = bytes;
}

void Memory::require_room(std::size_t bytes, int device) const {
  const std::size_t used = used_bytes(device);
  if (bytes > limit_bytes_ - std::min(limit_bytes_, used))
    throw Failure{cudaErrorMemoryAllocation, msg::device_memory_exhausted(bytes, used, limit_bytes_)};
}

std::uint64_t Memory::allocate(const char* runtime_call, std::size_t bytes, int device) {
  const std::string call = called(runtime_call);
  require_room(bytes, device);
  const std::string name = next_name(call);
  const std::uint64_t address = gpu_->allocate(name, bytes);
  used_[device] += bytes;
  add({address, bytes, MemoryKind::kDevice, device, 0, name}, call);
  return address;
}

std::uint64_t Memory::allocate_rows(const char* runtime_call, std::size_t row_bytes, std::size_t pitch,
                                    std::size_t rows, int device) {
  const std::uint64_t address = allocate(runtime_call, pitch * rows, device);
  blocks_[address].row_bytes = row_bytes;
  blocks_[address].pitch = pitch;
  return address;
}

std::uint64_t Memory::allocate_on_host(const char* runtime_call, std::size_t bytes, MemoryKind kind,
                                       int device, unsigned flags) {
  const std::string call = called(runtime_call);
  if (kind == MemoryKind::kManaged) require_room(bytes, device);
  // Linux allows about 65,000 mappings per process. Each guarded allocation adds up to two, so their number
  // is limited.
  constexpr std::size_t kMostGuarded = 4096;
  void* pages = map_pages(whole_pages(bytes), of_both_ < kMostGuarded);
  if (!pages) throw Failure{cudaErrorMemoryAllocation, msg::host_memory_lacks_bytes(bytes)};
  const std::string name = next_name(call);
  gpu_->adopt(name, {static_cast<std::byte*>(pages), bytes});
  const auto address = reinterpret_cast<std::uint64_t>(pages);
  if (kind == MemoryKind::kManaged) used_[device] += bytes;
  add({address, bytes, kind, device, flags, name}, call);
  return address;
}

void Memory::adopt(std::span<std::byte> host, MemoryKind kind, int device, unsigned flags, std::string name) {
  gpu_->adopt(name, host);
  add({reinterpret_cast<std::uint64_t>(host.data()), host.size(), kind, device, flags, std::move(name)}, "");
}

void Memory::add_variable(std::string name, std::uint64_t address, std::size_t bytes, int device) {
  add({address, bytes, MemoryKind::kVariable, device, 0, std::move(name)}, "");
}

void Memory::give_back(const MemoryBlock& block) {
  gpu_->free(block.address);
  if (block.kind == MemoryKind::kPinned || block.kind == MemoryKind::kManaged) {
    tell_of_writes_behind(block);
    unmap_pages(block.address, whole_pages(block.bytes));
  }
  if (block.kind == MemoryKind::kDevice || block.kind == MemoryKind::kManaged)
    used_[block.device] -= block.bytes;
  of_both_ -= block.is_reached_by_host();
  records_->send(ProgramFree{block.address});
}

void Memory::free(std::uint64_t address, bool on_host) {
  const auto found = blocks_.find(address);
  const bool is_right = found != blocks_.end() && (on_host ? found->second.kind == MemoryKind::kPinned
                                                           : found->second.kind == MemoryKind::kDevice ||
                                                                 found->second.kind == MemoryKind::kManaged);
  if (!is_right) {
    if (const MemoryBlock* before = freed_at(address); before && before->address == address)
      throw Failure{cudaErrorInvalidValue, msg::memory_freed_before(Code{before->name})};
    if (const MemoryBlock* holder = find(address); holder && holder->address != address)
      throw Failure{cudaErrorInvalidValue,
                    msg::pointer_into_memory(Code{holder->name}, address - holder->address)};
    throw Failure{cudaErrorInvalidValue,
                  msg::pointer_not_of_call(Address{address},
                                           on_host ? "cudaMallocHost or cudaHostAlloc" : "cudaMalloc")};
  }
  if (found->second.is_graphs) {
    found->second.is_expected = false;
    if (std::exchange(found->second.is_freed_until_launch, true))
      throw Failure{cudaErrorInvalidValue, msg::memory_freed_before(Code{found->second.name})};
    return records_->send(ProgramFree{address});
  }
  give_back(found->second);
  freed_[address] = found->second;
  blocks_.erase(found);
}

void Memory::give_to_graph(std::uint64_t address) { blocks_.at(address).is_graphs = true; }

void Memory::take_from_graph(std::uint64_t address) {
  MemoryBlock& block = blocks_.at(address);
  block.is_graphs = block.is_freed_until_launch = false;
}

bool Memory::expect(std::uint64_t address, bool is_allocated) {
  const auto found = blocks_.find(address);
  return found != blocks_.end() && found->second.is_graphs &&
         std::exchange(found->second.is_expected, is_allocated);
}

void Memory::launch_graph_with(std::uint64_t address) {
  const auto found = blocks_.find(address);
  if (found == blocks_.end()) return;
  MemoryBlock& block = found->second;
  block.is_freed_until_launch = false;
  block.is_in_graph_bytes = true;
  const std::size_t now = graph_bytes(block.device);
  MostGraphBytes& most = most_graph_bytes_[block.device];
  most = {std::max(most.used, now), std::max(most.reserved, now)};
}

std::size_t Memory::graph_bytes(int device) const {
  constexpr std::size_t kPiece = 32u << 20;
  std::size_t bytes = 0;
  for (const auto& [address, block] : blocks_)
    if (block.is_in_graph_bytes && block.device == device) bytes += block.bytes;
  return round_up(bytes, kPiece);
}

void Memory::trim_graph_bytes(int device) {
  for (auto& [address, block] : blocks_)
    if (block.device == device && block.is_freed_until_launch) block.is_in_graph_bytes = false;
}

void Memory::release(std::uint64_t address) {
  const auto found = blocks_.find(address);
  if (found == blocks_.end()) return;
  gpu_->free(address);
  of_both_ -= found->second.is_reached_by_host();
  blocks_.erase(found);
}

const MemoryBlock* Memory::find(std::uint64_t address) const { return block_holding(blocks_, address); }
const MemoryBlock* Memory::begins_at(std::uint64_t address) const {
  const auto found = blocks_.find(address);
  return found == blocks_.end() ? nullptr : &found->second;
}
const MemoryBlock* Memory::freed_at(std::uint64_t address) const { return block_holding(freed_, address); }

std::size_t Memory::used_bytes(int device) const {
  const auto found = used_.find(device);
  return found == used_.end() ? 0 : found->second;
}

void Memory::free_all(int device) {
  for (auto at = blocks_.begin(); at != blocks_.end();) {
    const bool is_its = at->second.device == device && at->second.kind != MemoryKind::kVariable &&
                        at->second.kind != MemoryKind::kRegistered;
    if (is_its) {
      give_back(at->second);
      freed_[at->first] = at->second;
    }
    at = is_its ? blocks_.erase(at) : std::next(at);
  }
}

}  // namespace cudalab::runtime
