// Text helpers: makes foreign text safe for a terminal; splits, joins and quotes text; reads whole numbers.
#include "core/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace cudalab {
namespace {

constexpr std::string_view kPlain = "-_./:+,=@%";  // a shell needs no quotes for these

bool is_plain(char c) { return is_word(c) || kPlain.find(c) != std::string_view::npos; }

}  // namespace

std::string shell_word(std::string_view text) {
  if (!text.empty() && std::all_of(text.begin(), text.end(), is_plain)) return std::string(text);
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

namespace {

std::string_view take_piece(std::string_view& text, char separator) {
  const std::size_t end = std::min(text.find(separator), text.size());
  const std::string_view piece = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return piece;
}

}  // namespace

std::string_view take_line(std::string_view& text) { return take_piece(text, '\n'); }

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> pieces;
  while (!text.empty()) pieces.push_back(take_piece(text, separator));
  return pieces;
}

namespace {

bool continues(char byte) { return (static_cast<unsigned char>(byte) & 0xc0) == 0x80; }

// The length in bytes of the character at `at`, or 0 if it is not valid UTF-8.
std::size_t character_length(std::string_view text, std::size_t at) {
  const auto lead = static_cast<unsigned char>(text[at]);
  const std::size_t length = lead < 0x80                   ? 1
                             : lead >= 0xc2 && lead < 0xe0 ? 2
                             : lead >= 0xe0 && lead < 0xf0 ? 3
                                                           : 4;
  if ((lead >= 0x80 && lead < 0xc2) || lead > 0xf4 || at + length > text.size()) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if (!continues(text[at + i])) return 0;
  const auto second = length > 1 ? static_cast<unsigned char>(text[at + 1]) : 0;
  const bool is_wrong = (lead == 0xe0 && second < 0xa0) || (lead == 0xed && second > 0x9f) ||
                        (lead == 0xf0 && second < 0x90) || (lead == 0xf4 && second > 0x8f);
  return is_wrong ? 0 : length;
}

// Whether a character changes the direction of writing or ends a line: marks, embeddings, overrides and
// isolates (U+200E, U+200F, U+202A to U+202E, U+2066 to U+2069, U+061C), and the separators U+2028 and
// U+2029. After such a character, a terminal could show another name than the text contains.
bool turns_the_line(std::string_view character) {
  const bool is_mark = character == "\u200e" || character == "\u200f" || character == "\u061c";
  return is_mark || (character >= "\u2028" && character <= "\u202e") ||
         (character >= "\u2066" && character <= "\u2069");
}

// Whether a character is a control character (C0, DEL or C1), which a terminal would execute.
bool is_control(std::string_view character) {
  const auto first = static_cast<unsigned char>(character[0]);
  if (character.size() == 1) return first < 0x20 || first == 0x7f;
  if (turns_the_line(character)) return true;
  return first == 0xc2 && static_cast<unsigned char>(character[1]) < 0xa0;
}

bool is_layout(std::string_view character) { return character == "\n" || character == "\t"; }

std::string harmless(std::string_view text, std::size_t most, bool keeps_layout) {
  std::string clean;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = character_length(text, at);
    std::string_view character = length == 0 ? "?" : text.substr(at, length);
    if (is_layout(character))
      character = keeps_layout ? character : " ";
    else if (is_control(character))
      character = "?";
    if (clean.size() + character.size() > most) return clean + "…";
    clean += character;
    at += std::max<std::size_t>(length, 1);
  }
  return clean;
}

}  // namespace

std::string harmless_line(std::string_view text, std::size_t most) { return harmless(text, most, false); }
std::string harmless_lines(std::string_view text) { return harmless(text, std::string_view::npos, true); }

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

std::string without_trailing_blanks(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

std::string with_blanks(std::string name) {
  std::ranges::replace(name, '_', ' ');
  return name;
}

std::string coordinates(const Dim3& at) { return fmt::format("({}, {}, {})", at.x, at.y, at.z); }

std::string counted(double number, std::string_view what) { return counted(fmt::format("{}", number), what); }

std::string counted(std::string_view number, std::string_view what) {
  const bool hisses = what.ends_with('s') || what.ends_with("ch");
  return fmt::format("{} {}{}", number, what, number == "1" ? "" : hisses ? "es" : "s");
}

std::string_view without_static_prefix(std::string_view symbol) {
  if (!symbol.starts_with("__nv_static_")) return symbol;
  const std::size_t at = symbol.find("__Z");
  return at == std::string_view::npos ? symbol : symbol.substr(at + 1);
}

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return lower;
}

std::string replaced(std::string text, std::string_view what, std::string_view with) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size()))
    text.replace(at, what.size(), with);
  return text;
}

}  // namespace cudalab
