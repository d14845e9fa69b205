// FNV-1a: a hash of 64 bits that is the same on every machine and at every start.
#pragma once

#include <cstdint>
#include <string_view>

namespace cudalab {

inline constexpr std::uint64_t kFnvBasis = 0xcbf29ce484222325u;

// The hash of what was hashed before and of one thing more: a byte, or whatever else is a number.
constexpr std::uint64_t fnv_hash(std::uint64_t before, std::uint64_t next) {
  return (before ^ next) * 0x100000001b3u;
}

constexpr std::uint64_t fnv_hash(std::string_view text) {
  std::uint64_t hash = kFnvBasis;
  for (const char c : text) hash = fnv_hash(hash, static_cast<unsigned char>(c));
  return hash;
}

}  // namespace cudalab
