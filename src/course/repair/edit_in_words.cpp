// Finds the smallest part of a line that shows an edit.
#include "course/repair/edit_in_words.h"

#include <fmt/format.h>

#include <algorithm>

namespace cudalab::course {

namespace {

constexpr std::string_view kSpaces = " \t\r\n";

// Trims the text, and replaces each run of white space, newlines included, with one space.
std::string in_one_line(std::string_view text) {
  std::string line;
  for (const char c : text) {
    const bool is_space = kSpaces.find(c) != std::string_view::npos;
    if (!is_space) line += c;
    if (is_space && !line.empty() && line.back() != ' ') line += ' ';
  }
  if (!line.empty() && line.back() == ' ') line.pop_back();
  return line;
}

// The end of the part that contains `byte`: the next semicolon, comma, `&&` or `||`, or the enclosing
// parenthesis. `step` is 1 to search forwards, -1 to search backwards.
std::size_t end_of_part(std::string_view source, std::size_t byte, int step) {
  const std::string_view opens = step > 0 ? "([" : ")]", closes = step > 0 ? ")]" : "([";
  int depth = 0;
  while (step > 0 ? byte < source.size() : byte > 0) {
    const char c = source[step > 0 ? byte : byte - 1];
    if (opens.find(c) != std::string_view::npos) ++depth;
    if (closes.find(c) != std::string_view::npos && --depth < 0) break;
    if (depth == 0 && std::string_view(";,{}").find(c) != std::string_view::npos) break;
    const std::string_view two =
        step > 0 ? source.substr(byte, 2) : source.substr(byte - std::min<std::size_t>(byte, 2), 2);
    if (depth == 0 && (two == "&&" || two == "||")) break;
    byte += static_cast<std::size_t>(step);
  }
  return byte;
}

std::size_t occurrences(std::string_view part, std::string_view text) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

}  // namespace

EditInWords edit_in_words(std::string_view source, const Edit& edit) {
  const std::string_view old = source.substr(edit.begin, edit.end - edit.begin);
  const std::string text = in_one_line(edit.text);
  if (text == ";") return {in_one_line(old), ""};
  if (old.empty() && text.ends_with(';')) {
    const std::size_t begin = end_of_part(source, edit.begin - std::min<std::size_t>(edit.begin, 1), -1);
    return {in_one_line(source.substr(begin, edit.begin - begin)), text, true};
  }
  const auto part = [&](std::size_t begin, std::size_t end) {
    const std::string_view before = source.substr(begin, edit.begin - begin),
                           behind = source.substr(edit.end, end - edit.end);
    return EditInWords{in_one_line(source.substr(begin, end - begin)),
                       in_one_line(fmt::format("{}{}{}", before, edit.text, behind)), false};
  };
  const std::size_t line_begin = source.substr(0, edit.begin).rfind('\n') + 1;
  const std::size_t line_end = std::min(source.find('\n', edit.end), source.size());
  const EditInWords words = part(end_of_part(source, edit.begin, -1), end_of_part(source, edit.end, 1));
  const std::string line = in_one_line(source.substr(line_begin, line_end - line_begin));
  const bool is_clear = !words.before.empty() && !words.after.empty() && occurrences(words.before, line) <= 1;
  return is_clear ? words : part(line_begin, line_end);
}

int line_at(std::string_view source, std::size_t byte) {
  return 1 + static_cast<int>(std::ranges::count(source.substr(0, byte), '\n'));
}

}  // namespace cudalab::course
