// Text helpers: makes foreign text safe for a terminal, splits, joins and quotes text, and reads whole
// numbers.
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

// A text as one word of a command that a user may type or paste.

// Quoted only where a shell would read it otherwise: `a b.cu` becomes `'a b.cu'`.
std::string shell_word(std::string_view text);

// Cuts a text at each of one character: its lines, or a list with commas.

// Takes the first line off a text, without its end.
std::string_view take_line(std::string_view& text);

// The pieces between separators. Behind the last separator nothing begins: "a\nb\n" has two lines, and ""
// none.
std::vector<std::string_view> split(std::string_view text, char separator);

// Reads whole numbers without a sign.

// Nothing where the text is anything else, or more than 64 bits hold.
inline std::optional<std::uint64_t> natural(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  return failed == std::errc{} && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

// Text that somebody else wrote, made fit to be shown on a terminal; the letters of words, and lists of them.

// One line of valid UTF-8 without control characters: line breaks and tabs become blanks; what a terminal
// would obey (C0, DEL, and C1, which UTF-8 writes in two bytes) and bytes that are no UTF-8 become `?`. What
// is longer than `most` bytes ends in "…", and no character is cut.
std::string harmless_line(std::string_view text, std::size_t most = std::string_view::npos);

// The same with its line breaks and tabs: what a kernel printed.
std::string harmless_lines(std::string_view text);

// Letters and digits of ASCII, whatever the locale.
constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_word_start(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
constexpr bool is_word(char c) { return is_word_start(c) || is_digit(c); }

// White space in the C locale.
inline constexpr std::string_view kBlanks = " \t\r\n\v\f";

// Without the white space at both ends.
std::string_view trimmed(std::string_view text);

// Of a line that was filled up to a width.
std::string without_trailing_blanks(std::string line);

// "element type" of the option element_type.
std::string with_blanks(std::string name);

// "(1, 2, 0)"
std::string coordinates(const Dim3& at);

// "1 sector", "2 sectors", "1.5 sectors": a number, as a number or as it is written, with the word for it.
std::string counted(double number, std::string_view what);
std::string counted(std::string_view number, std::string_view what);

// With each `what` replaced; what is put in its place is not looked through again. `what` is not empty.
std::string replaced(std::string text, std::string_view what, std::string_view with);

// "a, b, c" of the texts of some items.
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
