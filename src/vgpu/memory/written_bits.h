// Which bytes of an allocation were written, one bit per byte, in host memory taken from the system.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace cudalab::vgpu {

// Memory of the host for what the virtual GPU holds, straight from the system where it is much.

struct FreeBytes {
  std::size_t bytes;  // 0: it is somebody else's
  void operator()(std::byte* memory) const;
};
using HostBytes = std::unique_ptr<std::byte[], FreeBytes>;

// Zeroed memory; much of it comes straight from the system, so that pages nobody touches cost nothing.
HostBytes allocate_host(std::size_t bytes);

// Which bytes of an allocation somebody has written: one bit a byte.

// So many bytes one behind the other.
struct ByteRun {
  std::size_t at = 0, bytes = 0;
  std::size_t end() const { return at + bytes; }
  friend bool operator==(const ByteRun&, const ByteRun&) = default;
};

// Empty: all of them count as written. Bits change one way while kernels run, by any host thread.
class WrittenBits {
 public:
  WrittenBits() = default;
  // None of so many bytes.
  explicit WrittenBits(std::size_t bytes);
  explicit operator bool() const { return static_cast<bool>(words_); }
  void reset() { words_.reset(); }

  bool has(std::size_t byte) const { return words()[byte / 64] >> (byte % 64) & 1; }
  bool has_all(std::size_t from, std::size_t bytes) const;
  std::vector<ByteRun> gaps(std::size_t from, std::size_t bytes) const;  // that nobody wrote
  void set(std::size_t from, std::size_t bytes);                         // by any host thread
  void clear(std::size_t from, std::size_t bytes);                       // while no kernel runs

  // The words of so many bytes, from a multiple of 64 on.
  std::span<std::uint64_t> words_of(std::size_t from, std::size_t bytes) const {
    return {words() + from / 64, (bytes + 63) / 64};
  }

 private:
  std::uint64_t* words() const { return reinterpret_cast<std::uint64_t*>(words_.get()); }
  HostBytes words_;
};

}  // namespace cudalab::vgpu
