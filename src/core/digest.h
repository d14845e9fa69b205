// A 128-bit digest of bytes (XXH3) as 32 hexadecimal digits: it names cache entries and results, and secures
// nothing.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace cudalab {

// Digests what is added piece by piece; the same bytes give the same digest however they are cut.
class Digester {
 public:
  Digester();
  ~Digester();
  Digester(Digester&&) noexcept;
  Digester& operator=(Digester&&) noexcept;

  void add(std::span<const std::byte> bytes);
  void add(std::string_view text) { add(std::as_bytes(std::span(text))); }
  // The text and where it ends: ("ab", "c") and ("a", "bc") give different digests.
  void add_field(std::string_view text);
  std::string hex() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

std::string digest(std::span<const std::byte> bytes);
std::string digest(std::string_view text);

}  // namespace cudalab
