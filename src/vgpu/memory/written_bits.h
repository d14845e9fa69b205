// Tracks which bytes of an allocation were written, one bit per byte, in host memory taken from the system.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace cudalab::vgpu {

// Host memory for the contents of the virtual GPU; large blocks are mapped directly from the system.

struct FreeBytes {
  std::size_t bytes;  // 0: not owned
  void operator()(std::byte* memory) const;
};
using HostBytes = std::unique_ptr<std::byte[], FreeBytes>;

// Zeroed memory. Large blocks are mapped directly from the system, so untouched pages cost nothing.
HostBytes allocate_host(std::size_t bytes);
// Asks the system for large pages if the memory is large: they cause fewer page faults and fewer TLB misses.
void prefer_large_pages(const HostBytes& memory);

// The bytes of an allocation that were written: one bit per byte.

// A run of contiguous bytes.
struct ByteRun {
  std::size_t at = 0, bytes = 0;
  std::size_t end() const { return at + bytes; }
  friend bool operator==(const ByteRun&, const ByteRun&) = default;
};

// An empty object means that all bytes are written. While kernels run, bits are only set, by any host thread.
class WrittenBits {
 public:
  WrittenBits() = default;
  // All bytes unwritten.
  explicit WrittenBits(std::size_t bytes);
  explicit operator bool() const { return static_cast<bool>(words_); }
  void reset() { words_.reset(); }

  bool has(std::size_t byte) const { return words()[byte / 64] >> (byte % 64) & 1; }
  bool has_all(std::size_t from, std::size_t bytes) const;
  std::vector<ByteRun> gaps(std::size_t from, std::size_t bytes) const;  // unwritten runs
  void set(std::size_t from, std::size_t bytes);                         // callable from any host thread
  void clear(std::size_t from, std::size_t bytes);                       // only while no kernel runs

  // The words for `bytes` bytes; `from` must be a multiple of 64.
  std::span<std::uint64_t> words_of(std::size_t from, std::size_t bytes) const {
    return {words() + from / 64, (bytes + 63) / 64};
  }

 private:
  std::uint64_t* words() const { return reinterpret_cast<std::uint64_t*>(words_.get()); }
  HostBytes words_;
};

}  // namespace cudalab::vgpu
