// The global memory of the virtual GPU: allocations in a 64-bit address space with gaps between them, and
// snapshots of it.
#include "vgpu/memory/memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <new>
#include <utility>

#include "core/alignment.h"
#include "core/error.h"
#include "messages/vgpu.h"

namespace cudalab::vgpu {

MemorySnapshot::MemorySnapshot(const GlobalMemory& memory) {
  for (const auto& allocation : memory.allocations()) {
    if (allocation->read_only) continue;
    const std::byte* contents = allocation->host.get();
    Saved& saved = saved_.emplace_back(
        Saved{allocation->base, {contents, contents + allocation->bytes}, {}, allocation->changed_unseen});
    if (!allocation->written) continue;
    const auto words = allocation->written.words_of(0, allocation->bytes);
    saved.written.assign(words.begin(), words.end());
  }
}

void MemorySnapshot::restore(const GlobalMemory& memory) const {
  auto saved = saved_.begin();
  for (const auto& allocation : memory.allocations()) {
    while (saved != saved_.end() && saved->base < allocation->base) ++saved;
    if (saved == saved_.end()) return;
    if (saved->base != allocation->base || saved->contents.size() != allocation->bytes) continue;
    std::ranges::copy(saved->contents, allocation->host.get());
    ++allocation->version;
    // A launch without memory checks counts all that it changed as written.
    if (saved->written.empty()) allocation->written.reset();
    if (!saved->written.empty()) {
      if (!allocation->written) allocation->written = WrittenBits(allocation->bytes);
      std::ranges::copy(saved->written, allocation->written.words_of(0, allocation->bytes).begin());
    }
    allocation->changed_unseen = saved->changed_unseen;
  }
}

bool MemorySnapshot::has(std::uint64_t base) const {
  const auto found = std::ranges::lower_bound(saved_, base, {}, &Saved::base);
  return found != saved_.end() && found->base == base;
}

namespace {

// From this size on, memory is mapped directly from the system. (A process is limited to about 65,000
// mappings.)
constexpr std::size_t kMapFrom = 1 << 17;

// Large enough that an index which is off by a few rows hits no allocation.
constexpr std::uint64_t kGapBytes = 1ull << 24;

// Keeps freed blocks of medium size for the next launch: zeroing them costs less than mapping their pages
// again. Larger blocks are not kept, because most of their pages may be untouched.
class SparePieces {
 public:
  static bool holds(std::size_t bytes) { return bytes <= kLargest; }
  void* take(std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    const auto found = pieces_.find(bytes);
    if (found == pieces_.end()) return nullptr;
    void* const memory = found->second;
    pieces_.erase(found);
    return memory;
  }
  bool keep(void* memory, std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    if (pieces_.size() >= kMost) return false;
    pieces_.emplace(bytes, memory);
    return true;
  }

 private:
  static constexpr std::size_t kLargest = std::size_t{1} << 20, kMost = 32;
  std::mutex mutex_;
  std::multimap<std::size_t, void*> pieces_;
};

// Never destroyed, because memory may be freed at the end of the process.
SparePieces& spare_pieces() {
  static auto& pieces = *new SparePieces;
  return pieces;
}

void* from_the_system(std::size_t bytes) {
  void* memory =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  return memory;
}

void mark_written(Allocation& allocation, std::size_t offset, std::size_t bytes) {
  if (!allocation.written) return;
  if (bytes == allocation.bytes)
    allocation.written.reset();
  else
    allocation.written.set(offset, bytes);
}

void mark_unwritten(Allocation& allocation, std::size_t offset, std::size_t bytes) {
  if (!allocation.written) {
    allocation.written = WrittenBits(allocation.bytes);
    if (bytes != allocation.bytes) allocation.written.set(0, allocation.bytes);
  }
  allocation.written.clear(offset, bytes);
}

// Runs relative to `offset`.
std::vector<ByteRun> unwritten_in(const Allocation& allocation, std::size_t offset, std::size_t bytes) {
  if (!allocation.written || allocation.written.has_all(offset, bytes)) return {};
  std::vector<ByteRun> runs = allocation.written.gaps(offset, bytes);
  for (ByteRun& run : runs) run.at -= offset;
  return runs;
}

void copy_marks(Allocation& target, std::size_t to, const Allocation& source, std::size_t from,
                std::size_t bytes) {
  const std::vector<ByteRun> gaps = unwritten_in(source, from, bytes);
  mark_written(target, to, bytes);
  for (const ByteRun& gap : gaps) mark_unwritten(target, to + gap.at, gap.bytes);
}

bool ends_before(const std::unique_ptr<Allocation>& allocation, std::uint64_t address) {
  return allocation->end() <= address;
}

}  // namespace

void FreeBytes::operator()(std::byte* memory) const {
  if (!memory || bytes == 0) return;
  if (bytes < kMapFrom)
    std::free(memory);
  else if (!SparePieces::holds(bytes) || !spare_pieces().keep(memory, bytes))
    munmap(memory, bytes);
}

HostBytes allocate_host(std::size_t bytes) {
  if (bytes == 0) return {};
  if (bytes < kMapFrom) {
    void* memory = std::aligned_alloc(64, round_up(bytes, 64));
    if (!memory) throw std::bad_alloc();
    std::memset(memory, 0, bytes);
    return HostBytes(static_cast<std::byte*>(memory), FreeBytes{bytes});
  }
  void* memory = SparePieces::holds(bytes) ? spare_pieces().take(bytes) : nullptr;
  if (memory)
    std::memset(memory, 0, bytes);
  else
    memory = from_the_system(bytes);
  return HostBytes(static_cast<std::byte*>(memory), FreeBytes{bytes});
}

void prefer_large_pages(const HostBytes& memory) {
  constexpr std::size_t kLargeFrom = std::size_t{4} << 20;
  const std::size_t bytes = memory.get_deleter().bytes;
  if (bytes >= kLargeFrom) madvise(memory.get(), bytes, MADV_HUGEPAGE);
}

std::uint64_t GlobalMemory::allocate(std::string name, std::size_t bytes, bool read_only) {
  const std::lock_guard lock(mutex_);
  const std::size_t size = std::max<std::size_t>(bytes, 1);
  if (size > limit_bytes_ - std::min(limit_bytes_, used_bytes_))
    throw unavailable_error(msg::virtual_memory_exhausted(bytes, Code{name}, used_bytes_, limit_bytes_));
  auto allocation = std::make_unique<Allocation>();
  allocation->base = next_base_;
  allocation->bytes = size;
  allocation->name = std::move(name);
  allocation->read_only = read_only;
  allocation->host = allocate_host(size);
  prefer_large_pages(allocation->host);
  allocation->written = WrittenBits(size);
  used_bytes_ += size;
  next_base_ += round_up(size + kGapBytes, kGapBytes);
  return insert(std::move(allocation));
}

std::uint64_t GlobalMemory::adopt(std::string name, std::span<std::byte> host) {
  const std::lock_guard lock(mutex_);
  auto allocation = std::make_unique<Allocation>();
  allocation->base = reinterpret_cast<std::uint64_t>(host.data());
  allocation->bytes = host.size();
  allocation->name = std::move(name);
  allocation->host = HostBytes(host.data(), FreeBytes{0});
  return insert(std::move(allocation));
}

std::uint64_t GlobalMemory::allocate_managed(std::string name, std::size_t bytes) {
  if (!may_use_host_addresses_) return allocate(std::move(name), bytes);
  const std::lock_guard lock(mutex_);
  auto allocation = std::make_unique<Allocation>();
  allocation->bytes = std::max<std::size_t>(bytes, 1);
  allocation->name = std::move(name);
  allocation->host = allocate_host(std::max(allocation->bytes, kMapFrom));  // mapped, so it has its own pages
  allocation->base = reinterpret_cast<std::uint64_t>(allocation->host.get());
  used_bytes_ += allocation->bytes;
  return insert(std::move(allocation));
}

std::uint64_t GlobalMemory::insert(std::unique_ptr<Allocation> allocation) {
  const std::uint64_t base = allocation->base;
  allocation->number = ++newest_;
  const auto place = std::lower_bound(allocations_.begin(), allocations_.end(), base, ends_before);
  allocations_.insert(place, std::move(allocation));
  return base;
}

void GlobalMemory::free(std::uint64_t base) {
  const std::lock_guard lock(mutex_);
  const auto found = std::lower_bound(allocations_.begin(), allocations_.end(), base, ends_before);
  if (found == allocations_.end() || (*found)->base != base) return;
  if (!(*found)->is_adopted()) used_bytes_ -= (*found)->bytes;
  allocations_.erase(found);
}

void GlobalMemory::retire(std::uint64_t base) {
  Allocation* allocation = find(base);
  if (!allocation || allocation->base != base) return;
  used_bytes_ -= std::exchange(allocation->bytes, 0);
  allocation->host.reset();
  allocation->written.reset();
}

void GlobalMemory::forget_retired() {
  std::erase_if(allocations_, [](const auto& allocation) { return allocation->bytes == 0; });
}

Allocation* GlobalMemory::find(std::uint64_t address) {
  const auto found = std::lower_bound(allocations_.begin(), allocations_.end(), address, ends_before);
  if (found == allocations_.end() || address < (*found)->base) return nullptr;
  return found->get();
}

const Allocation* GlobalMemory::nearest(std::uint64_t address) const {
  const auto above = std::lower_bound(allocations_.begin(), allocations_.end(), address, ends_before);
  if (allocations_.empty()) return nullptr;
  if (above == allocations_.begin()) return above->get();
  const Allocation* below = std::prev(above)->get();
  if (above == allocations_.end()) return below;
  return address - below->end() <= (*above)->base - address ? below : above->get();
}

void GlobalMemory::mark_unseen_changes_written() {
  for (const auto& allocation : allocations_)
    if (allocation->changed_unseen.exchange(false)) allocation->written.reset();
}

Allocation& GlobalMemory::holding(std::uint64_t address, std::size_t bytes) {
  Allocation* allocation = find(address);
  if (!allocation || bytes > allocation->end() - address)
    throw usage_error(msg::host_access_outside_buffers(bytes, Address{address}));
  return *allocation;
}

Allocation& GlobalMemory::to_change(std::uint64_t address, std::size_t bytes) {
  Allocation& allocation = holding(address, bytes);
  ++allocation.version;
  return allocation;
}

void GlobalMemory::write(std::uint64_t address, std::span<const std::byte> from) {
  if (from.empty()) return;
  Allocation& allocation = to_change(address, from.size());
  const std::size_t offset = address - allocation.base;
  std::memcpy(allocation.host.get() + offset, from.data(), from.size());
  mark_written(allocation, offset, from.size());
}

void GlobalMemory::read(std::uint64_t address, std::span<std::byte> to) {
  if (to.empty()) return;
  const Allocation& allocation = holding(address, to.size());
  std::memcpy(to.data(), allocation.host.get() + (address - allocation.base), to.size());
}

void GlobalMemory::fill(std::uint64_t address, std::size_t bytes, std::uint8_t value, bool poison) {
  if (bytes == 0) return;
  Allocation& allocation = to_change(address, bytes);
  const std::size_t offset = address - allocation.base;
  std::memset(allocation.host.get() + offset, value, bytes);
  if (poison)
    mark_unwritten(allocation, offset, bytes);
  else
    mark_written(allocation, offset, bytes);
}

void GlobalMemory::copy(std::uint64_t to, std::uint64_t from, std::size_t bytes) {
  if (bytes == 0) return;
  Allocation& target = to_change(to, bytes);
  const Allocation& source = holding(from, bytes);
  const std::size_t offset = to - target.base;
  std::memmove(target.host.get() + offset, source.host.get() + (from - source.base), bytes);
  if (!source.written || source.written.has_all(from - source.base, bytes))
    return mark_written(target, offset, bytes);
  constexpr std::size_t kPiece = std::size_t{1} << 24;  // limits the number of gaps held at once
  for (std::size_t done = 0; done < bytes; done += kPiece)
    copy_marks(target, offset + done, source, from - source.base + done, std::min(kPiece, bytes - done));
}

std::byte* GlobalMemory::host_bytes(std::uint64_t address, std::size_t bytes) {
  Allocation& allocation = to_change(address, bytes);
  return allocation.host.get() + (address - allocation.base);
}

void GlobalMemory::note_written(std::uint64_t address, std::size_t bytes) {
  Allocation& allocation = to_change(address, bytes);
  mark_written(allocation, address - allocation.base, bytes);
}

std::vector<ByteRun> GlobalMemory::unwritten(std::uint64_t address, std::size_t bytes) {
  if (bytes == 0) return {};
  const Allocation& allocation = holding(address, bytes);
  return unwritten_in(allocation, address - allocation.base, bytes);
}

}  // namespace cudalab::vgpu
