// Reads whole numbers without a sign.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

namespace cudalab {

// Nothing where the text is anything else, or more than 64 bits hold.
inline std::optional<std::uint64_t> natural(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  return failed == std::errc{} && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

}  // namespace cudalab
