// Hashes that are equal on every machine: 128-bit digests (XXH3) of data, and FNV-1a.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace cudalab {

// FNV-1a: a 64-bit hash that is the same on every machine and in every run.

inline constexpr std::uint64_t kFnvBasis = 0xcbf29ce484222325u;

// Extends the hash `before` by one value, such as a byte.
constexpr std::uint64_t fnv_hash(std::uint64_t before, std::uint64_t next) {
  return (before ^ next) * 0x100000001b3u;
}

constexpr std::uint64_t fnv_hash(std::string_view text) {
  std::uint64_t hash = kFnvBasis;
  for (const char c : text) hash = fnv_hash(hash, static_cast<unsigned char>(c));
  return hash;
}

// A 128-bit digest of bytes (XXH3) as 32 hexadecimal digits. It identifies cache entries and results; it is
// not cryptographically secure.

// Digests a sequence of parts. The same bytes give the same digest, however they are divided into parts.
class Digester {
 public:
  Digester();
  ~Digester();
  Digester(Digester&&) noexcept;
  Digester& operator=(Digester&&) noexcept;

  void add(std::span<const std::byte> bytes);
  void add(std::string_view text) { add(std::as_bytes(std::span(text))); }
  // Adds the text and its length: ("ab", "c") and ("a", "bc") give different digests.
  void add_field(std::string_view text);
  std::string hex() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

std::string digest(std::span<const std::byte> bytes);
std::string digest(std::string_view text);

}  // namespace cudalab
