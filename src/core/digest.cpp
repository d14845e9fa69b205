// Implements core/digest.h. Only this file compiles the XXH3 code.
#include "core/digest.h"

#include <fmt/format.h>

#include <cstdint>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace cudalab {
namespace {

std::string to_hex(const XXH128_hash_t& hash) {
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

}  // namespace

struct Digester::State {
  XXH3_state_t xxh;  // aligned to 64 bytes, which operator new respects
};

Digester::Digester() : state_(std::make_unique<State>()) { XXH3_128bits_reset(&state_->xxh); }
Digester::~Digester() = default;
Digester::Digester(Digester&&) noexcept = default;
Digester& Digester::operator=(Digester&&) noexcept = default;

void Digester::add(std::span<const std::byte> bytes) {
  if (!bytes.empty()) XXH3_128bits_update(&state_->xxh, bytes.data(), bytes.size());
}

void Digester::add_field(std::string_view text) {
  const std::uint64_t length = text.size();
  add(std::as_bytes(std::span(&length, 1)));
  add(text);
}

std::string Digester::hex() const { return to_hex(XXH3_128bits_digest(&state_->xxh)); }

std::string digest(std::span<const std::byte> bytes) {
  return to_hex(XXH3_128bits(bytes.data(), bytes.size()));
}
std::string digest(std::string_view text) { return digest(std::as_bytes(std::span(text))); }

}  // namespace cudalab
