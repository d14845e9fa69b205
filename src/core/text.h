// Text helpers: makes foreign text safe for a terminal; splits, joins and quotes text; reads whole numbers.
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/dim3.h"

namespace cudalab {

// Quotes text as one word of a shell command that a user can type or paste.

// Adds quotes only if the shell needs them: `a b.cu` becomes `'a b.cu'`.
std::string shell_word(std::string_view text);

// Splits text at a separator, such as a line end or a comma.

// Removes the first line from `text` and returns it without its line end.
std::string_view take_line(std::string_view& text);

// The parts between separators. A trailing separator does not start another part: "a\nb\n" has two lines, ""
// has none.
std::vector<std::string_view> split(std::string_view text, char separator);

// Reads whole numbers without a sign.

// Empty if the text is not a number or does not fit into 64 bits.
inline std::optional<std::uint64_t> natural(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  return failed == std::errc{} && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

// Makes text from other sources safe to print on a terminal, and formats words and lists.

// One line of valid UTF-8 without control characters. Line breaks and tabs become blanks. Terminal control
// characters (C0, DEL and C1) and invalid UTF-8 become `?`. Text longer than `most` bytes is cut between
// characters and ends in "…".
std::string harmless_line(std::string_view text, std::size_t most = std::string_view::npos);

// Like harmless_line, but keeps line breaks and tabs. Used for the output of kernels.
std::string harmless_lines(std::string_view text);

// Letters and digits of ASCII, independent of the locale.
constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_word_start(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
constexpr bool is_word(char c) { return is_word_start(c) || is_digit(c); }

// White space in the C locale.
inline constexpr std::string_view kBlanks = " \t\r\n\v\f";

// Removes the white space at both ends.
std::string_view trimmed(std::string_view text);

// Removes the blanks that filled a line up to a width.
std::string without_trailing_blanks(std::string line);

// The mangled name that a file gave to its static function: nvcc puts `__nv_static_39__HASH_FILE__` in front
// of it when it links device code.
std::string_view without_static_prefix(std::string_view symbol);

// In the C locale.
std::string lower_case(std::string_view text);

// Replaces underscores: the option element_type becomes "element type".
std::string with_blanks(std::string name);

// "(1, 2, 0)"
std::string coordinates(const Dim3& at);

// A number with its unit in singular or plural: "1 sector", "2 sectors", "1.5 sectors".
std::string counted(double number, std::string_view what);
std::string counted(std::string_view number, std::string_view what);

// Replaces every `what`, which must not be empty. Replacements are not searched again.
std::string replaced(std::string text, std::string_view what, std::string_view with);

// Joins the texts of items: "a, b, c".
template <class Items, class Text = std::identity>
std::string joined(const Items& items, std::string_view separator = ", ", Text text_of = {}) {
  std::string text;
  bool is_first = true;
  for (const auto& item : items) {
    if (!is_first) text += separator;
    text += std::invoke(text_of, item);
    is_first = false;
  }
  return text;
}

}  // namespace cudalab
