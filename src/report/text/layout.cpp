// Text layout: breaks paragraphs into lines of a given width, and aligns cells in columns.
#include "report/text/layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <ranges>
#include <utility>
#include <vector>

#include "core/text.h"

namespace cudalab::report {
namespace {

constexpr char kEscape = '\x1b';

// Characters that take two columns: East Asian Wide and Fullwidth (Unicode's UAX 11), in order.
struct Range {
  char32_t first, last;
};
constexpr Range kWide[]{{0x1100, 0x115f},   {0x2e80, 0x303e},   {0x3041, 0x33ff},  {0x3400, 0x4dbf},
                        {0x4e00, 0x9fff},   {0xa000, 0xa4cf},   {0xac00, 0xd7a3},  {0xf900, 0xfaff},
                        {0xfe30, 0xfe6f},   {0xff00, 0xff60},   {0xffe0, 0xffe6},  {0x1f300, 0x1f64f},
                        {0x1f900, 0x1f9ff}, {0x20000, 0x2fffd}, {0x30000, 0x3fffd}};
// Combining characters, such as accents: they take no column.
constexpr Range kOnTop{0x0300, 0x036f};

// Characters that must not begin a line, and those that must not end one, where a line may be broken between
// any two characters (CJK).
constexpr std::u32string_view kNotFirst = U"，。、；：！？）」』】》〉”’…—～·％,.;:!?)]%",
                              kNotLast = U"（「『【《〈“‘([";

struct Character {
  char32_t code = 0;
  std::size_t bytes = 1;
};

// Decodes one UTF-8 character; invalid UTF-8 counts byte by byte.
Character character_at(std::string_view text, std::size_t at) {
  const auto lead = static_cast<unsigned char>(text[at]);
  const std::size_t bytes = lead < 0xc0 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  if (bytes == 1 || at + bytes > text.size()) return {lead, 1};
  char32_t code = lead & (0xff >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i)
    code = code << 6 | (static_cast<unsigned char>(text[at + i]) & 0x3f);
  return {code, bytes};
}

bool is_in(char32_t code, const Range& range) { return code >= range.first && code <= range.last; }

bool is_wide(char32_t code) {
  return code >= kWide[0].first &&
         std::ranges::any_of(kWide, [code](const Range& range) { return is_in(code, range); });
}

bool may_part(char32_t before, char32_t after) {
  return (is_wide(before) || is_wide(after)) && kNotLast.find(before) == kNotLast.npos &&
         kNotFirst.find(after) == kNotFirst.npos;
}

std::size_t leading_blanks(std::string_view line) {
  return std::min(line.find_first_not_of(' '), line.size());
}

// A word with the blanks before it; in Chinese, one character with the punctuation attached to it.
struct Word {
  std::string_view blanks, text;
};

// Whether the text read so far is within *emphasis* or **strong emphasis**. The asterisks stay attached to
// the marked text.
struct Emphasis {
  bool is_open = false;

  // Whether a line may be broken between `last` and `next`; updates the state for `next`.
  bool lets_part(char32_t last, char32_t next) {
    const bool is_mark = next == U'*', was_mark = last == U'*';
    const bool is_held = was_mark && (is_mark || is_open);
    const bool closes = is_mark && is_open;
    if (is_mark && !was_mark) is_open = !is_open;
    return !is_held && !closes && may_part(last, next);
  }
};

// The end of the piece that begins at `begin`: before a blank, or where a line may be broken between wide
// characters.
std::size_t end_of_piece(std::string_view line, std::size_t begin, Emphasis& emphasis) {
  if (line.substr(begin, 2) == "* ") return begin + 1;  // a multiplication
  std::size_t at = begin;
  Character last{};
  while (at < line.size() && line[at] != ' ') {
    const Character next = character_at(line, at);
    const Emphasis before = emphasis;
    if (emphasis.lets_part(last.code, next.code) && at > begin) {
      emphasis = before;  // `next` is processed again with the next piece
      break;
    }
    last = next;
    at += next.bytes;
  }
  return at;
}

// Units that stay on the same line as their number: "13.0 us", "73 %".
constexpr std::string_view kUnitsOfNumbers[]{
    "%",       "ns",      "us",  "ms",  "s",   "cycle", "cycles", "byte", "bytes", "B",
    "KB",      "MB",      "GB",  "KiB", "MiB", "GiB",   "TiB",    "GB/s", "TB/s",  "FLOP/s",
    "GFLOP/s", "TFLOP/s", "мкс", "мс",  "нс",  "байт",  "байта",  "КБ",   "МБ",    "ГБ"};

// The word without trailing punctuation, Chinese punctuation included (\xe3 and \xef are its first bytes in
// UTF-8).
std::string_view bare(std::string_view word) { return word.substr(0, word.find_first_of(",.;:!?)\xe3\xef")); }

// A Chinese unit, which must not be broken although Chinese can be broken between any two characters.
constexpr std::string_view kBytesInChinese = "字节";

bool ends_in_digit(std::string_view word) {
  return !word.empty() && word.back() >= '0' && word.back() <= '9';
}

// The length of the blank and the unit at the start of `line`, with attached punctuation; 0: no unit.
std::size_t unit_behind_blank(std::string_view line, const Word& next) {
  if (next.blanks.size() != 1) return 0;
  if (std::ranges::find(kUnitsOfNumbers, bare(next.text)) != std::end(kUnitsOfNumbers))
    return 1 + next.text.size();
  return line.substr(1).starts_with(kBytesInChinese) ? 1 + kBytesInChinese.size() : 0;
}

std::vector<Word> words_of(std::string_view line) {
  std::vector<Word> words;
  Emphasis emphasis;
  while (!line.empty()) {
    const std::size_t begin = leading_blanks(line), end = end_of_piece(line, begin, emphasis);
    const Word word{line.substr(0, begin), line.substr(begin, end - begin)};
    const bool is_number = !words.empty() && ends_in_digit(words.back().text);
    const std::size_t unit = is_number ? unit_behind_blank(line, word) : 0;
    if (unit > 0)
      words.back().text = {words.back().text.data(), words.back().text.size() + unit};
    else
      words.push_back(word);
    line.remove_prefix(unit > 0 ? unit : end);
  }
  return words;
}

// The indentation of continuation lines: below the last column that begins in the left half, else below the
// first word.
std::size_t hanging_indent(std::string_view line, std::size_t width) {
  std::size_t indent = leading_blanks(line), at = 0;
  for (const Word& word : words_of(line)) {
    at += word.blanks.size();
    if (at > width / 2) break;
    if (word.blanks.size() >= 2) indent = at;
    at += columns_of(word.text);
  }
  return std::min(indent, width / 2);
}

// The words of a shell command, with their quotes; a blank inside quotes does not end a word.
std::vector<std::string_view> shell_words_of(std::string_view command) {
  std::vector<std::string_view> words;
  bool is_quoted = false;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= command.size(); ++i) {
    const bool is_end = i == command.size() || (command[i] == ' ' && !is_quoted);
    if (i < command.size() && command[i] == '\'') is_quoted = !is_quoted;
    if (!is_end) continue;
    if (i > begin) words.push_back(command.substr(begin, i - begin));
    begin = i + 1;
  }
  return words;
}

std::size_t longest_word(std::string_view text) {
  std::size_t columns = 0;
  for (const Word& word : words_of(text)) columns = std::max(columns, columns_of(word.text));
  return columns;
}

std::string fold_line(std::string_view text, std::size_t width) {
  if (columns_of(text) <= width) return std::string(text);
  const std::string margin(hanging_indent(text, width), ' ');
  std::string folded, line;
  bool has_word = false;
  for (const Word& word : words_of(text)) {
    if (has_word && columns_of(line) + word.blanks.size() + columns_of(word.text) > width) {
      folded += line + "\n";
      line = margin;
    } else {
      line += word.blanks;
    }
    line += word.text;
    has_word = true;
  }
  return folded + line;
}

}  // namespace

std::size_t columns_of(std::string_view line) {
  std::size_t columns = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == kEscape) {
      i = std::min(line.find('m', i), line.size());
      continue;
    }
    const Character next = character_at(line, i);
    columns += is_in(next.code, kOnTop) ? 0 : is_wide(next.code) ? 2 : 1;
    i += next.bytes - 1;
  }
  return columns;
}

std::string wrap(std::string_view text, std::size_t width, std::size_t indent) {
  const std::string margin(indent, ' ');
  const std::string clean = harmless_line(text);
  std::string wrapped, line = margin;
  for (const Word& word : words_of(clean)) {
    if (word.text.empty()) continue;
    const std::string_view gap = word.blanks.substr(0, 1);
    bool first = line.size() == indent;
    if (!first && columns_of(line) + gap.size() + columns_of(word.text) > width) {
      wrapped += line + "\n";
      line = margin;
      first = true;
    }
    line += fmt::format("{}{}", first ? "" : gap, word.text);
  }
  return wrapped + line;
}

std::string hang(std::string_view name, std::string_view text, std::size_t width, std::size_t indent) {
  constexpr std::size_t kLeast = 24, kIndentBelow = 4;  // columns
  const bool has_room = indent + std::max(kLeast, longest_word(text)) <= width;
  if (columns_of(name) + 2 > indent || !has_room)
    return fold(name, width) + "\n" + wrap(text, width, has_room ? indent : kIndentBelow);
  const std::string gap(indent - columns_of(name), ' ');
  return std::string(name) + gap + wrap(text, width, indent).substr(indent);
}

std::string fold(std::string_view text, std::size_t width) {
  std::string folded;
  for (const std::string_view line : split(text, '\n')) folded += fold_line(line, width) + "\n";
  if (!text.ends_with('\n') && !folded.empty()) folded.pop_back();
  return folded;
}

std::string reflow(std::string_view text, std::size_t width) {
  std::string flowed, paragraph;
  const auto end_paragraph = [&] {
    if (!paragraph.empty()) flowed += wrap(paragraph, width, 0) + "\n";
    paragraph.clear();
  };
  for (const std::string_view line : split(text, '\n')) {
    const bool stands_alone = line.empty() || line.front() == ' ';
    if (stands_alone) end_paragraph();
    if (stands_alone)
      flowed += fold_line(line, width) + "\n";
    else
      paragraph += fmt::format("{}{}", paragraph.empty() ? "" : " ", line);
  }
  end_paragraph();
  return flowed;
}

std::string wrap_command(std::string_view command, std::size_t width, std::size_t indent) {
  const std::string margin(indent, ' ');
  if (indent + columns_of(command) <= width) return margin + std::string(command);
  constexpr std::string_view kGoesOn = " \\";
  std::string wrapped, line = margin;
  for (const std::string_view word : shell_words_of(command)) {
    const bool is_first = line.size() == indent;
    if (!is_first && columns_of(line) + 1 + columns_of(word) + kGoesOn.size() > width) {
      wrapped += fmt::format("{}{}\n", line, kGoesOn);
      line = margin + std::string(word);
    } else {
      line += fmt::format("{}{}", is_first ? "" : " ", word);
    }
  }
  return wrapped + line;
}

std::string padded(std::string_view text, std::size_t columns) {
  return std::string(text) + std::string(columns - std::min(columns, columns_of(text)), ' ');
}

std::string right_aligned(std::string_view text, std::size_t columns) {
  return std::string(columns - std::min(columns, columns_of(text)), ' ') + std::string(text);
}

std::string shortened(std::string_view text, std::size_t columns, std::string_view rest) {
  if (columns_of(text) <= columns) return std::string(text);
  std::size_t end = 0, used = columns_of(rest);
  while (end < text.size()) {
    const std::size_t bytes = character_at(text, end).bytes;
    used += columns_of(text.substr(end, bytes));
    if (used > columns) break;
    end += bytes;
  }
  return std::string(text.substr(0, end)) + std::string(rest);
}

std::vector<std::string> lines_in(std::string_view source) {
  std::vector<std::string> lines;
  for (std::string_view line : split(source, '\n')) {
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.push_back(harmless_line(line));
  }
  return lines;
}

namespace {

constexpr std::size_t kGap = 2, kNarrowGap = 1;

const char* escape_of(Ink ink) {
  switch (ink) {
    case Ink::kGood: return "\x1b[32m";
    case Ink::kBad: return "\x1b[1;31m";
    case Ink::kUnsure: return "\x1b[33m";
    case Ink::kHeading: return "\x1b[1m";
    case Ink::kFaint: return "\x1b[2m";
    case Ink::kPlain: break;
  }
  return "";
}

std::string aligned(const std::string& text, std::size_t width, bool left) {
  return left ? padded(text, width) : std::string(width - std::min(width, columns_of(text)), ' ') + text;
}

// The width of the longest line.
std::size_t widest(const std::vector<std::string>& lines) {
  std::size_t width = 0;
  for (const std::string& line : lines) width = std::max(width, columns_of(line));
  return width;
}

bool is_empty(const Column& column) { return widest(column.cells) == 0; }

class Layout {
 public:
  Layout(std::vector<Column> columns, std::size_t gap) : columns_(std::move(columns)), gap_(gap) {
    for (const Column& column : columns_)
      widths_.push_back(std::max({std::size_t{1}, widest(column.heading), widest(column.cells)}));
    for (std::size_t first = 0; first < columns_.size(); first = end_of_group(first))
      make_room_for_group(first);
  }

  std::size_t width() const { return joint_width(0, columns_.size()); }
  std::size_t heading_lines() const {
    std::size_t lines = 1;
    for (const Column& column : columns_)
      lines = std::max(lines, column.heading.size() + column.group.size());
    return lines;
  }
  std::size_t rows() const { return columns_.front().cells.size(); }
  std::string heading_row(std::size_t from_below) const;
  std::string cell_row(std::size_t row, bool colour) const;

 private:
  std::size_t end_of_group(std::size_t first) const {
    std::size_t end = first + 1;
    const std::vector<std::string>& group = columns_[first].group;
    while (end < columns_.size() && !group.empty() && columns_[end].group == group) ++end;
    return end;
  }
  std::size_t joint_width(std::size_t first, std::size_t end) const {
    std::size_t width = gap_ * (end - first - 1);
    for (std::size_t i = first; i < end; ++i) width += widths_[i];
    return width;
  }
  // Widens the columns of a group, by equal amounts, if the group's heading needs it.
  void make_room_for_group(std::size_t first) {
    const std::size_t end = end_of_group(first), needed = widest(columns_[first].group);
    for (std::size_t i = first; joint_width(first, end) < needed; i = i + 1 < end ? i + 1 : first)
      ++widths_[i];
  }

  std::vector<Column> columns_;
  std::size_t gap_;
  std::vector<std::size_t> widths_;
};

// The line at index `from_below`, counted from the bottom; 0 is the last.
std::string line_of(const std::vector<std::string>& lines, std::size_t from_below) {
  return from_below < lines.size() ? lines[lines.size() - 1 - from_below] : "";
}

std::string Layout::heading_row(std::size_t from_below) const {
  std::string line;
  for (std::size_t i = 0; i < columns_.size();) {
    const Column& column = columns_[i];
    bool is_group = !column.group.empty() && from_below >= column.heading.size();
    std::size_t end = is_group ? end_of_group(i) : i + 1;
    std::string text = is_group ? line_of(column.group, from_below - column.heading.size())
                                : line_of(column.heading, from_below);
    line += (i == 0 ? "" : std::string(gap_, ' ')) + aligned(text, joint_width(i, end), column.left);
    i = end;
  }
  return without_trailing_blanks(line);
}

std::string Layout::cell_row(std::size_t row, bool colour) const {
  std::string line;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const Column& column = columns_[i];
    const std::string cell = harmless_line(column.cells[row]);
    std::string text = aligned(cell.empty() ? "-" : cell, widths_[i], column.left);
    if (i + 1 == columns_.size()) text = without_trailing_blanks(text);
    Ink ink = column.inks.empty() ? Ink::kPlain : column.inks[row];
    line += (i == 0 ? "" : std::string(gap_, ' ')) + inked(text, cell.empty() ? Ink::kFaint : ink, colour);
  }
  return without_trailing_blanks(line);
}

// Breaks a group's heading after each slash: "sectors/" above "request".
std::vector<std::string> broken_at_slashes(const std::vector<std::string>& heading) {
  std::vector<std::string> lines;
  for (std::string_view line : heading) {
    std::size_t slash = 0;
    while ((slash = line.find('/')) != line.npos && slash + 1 < line.size()) {
      lines.emplace_back(line.substr(0, slash + 1));
      line.remove_prefix(slash + 1);
    }
    lines.emplace_back(line);
  }
  return lines;
}

std::vector<Column> with_narrow_groups(std::vector<Column> columns) {
  for (Column& column : columns) column.group = broken_at_slashes(column.group);
  return columns;
}

bool is_less_important(const Column& a, const Column& b) { return a.importance < b.importance; }

// The layout with as many optional columns as fit; the least important ones are dropped first.
std::optional<Layout> with_wide_gaps(std::vector<Column> columns, std::size_t width) {
  while (true) {
    if (Layout layout(columns, kGap); layout.width() <= width) return layout;
    auto optional = columns | std::views::filter(&Column::is_optional);
    const auto least = std::ranges::min_element(optional, is_less_important);
    if (least == optional.end()) return std::nullopt;
    columns.erase(least.base());
  }
}

Layout that_fits(std::vector<Column> columns, std::size_t width) {
  std::erase_if(columns, is_empty);
  if (const auto layout = with_wide_gaps(columns, width)) return *layout;
  std::erase_if(columns, &Column::is_optional);
  columns = with_narrow_groups(std::move(columns));
  while (true) {
    for (std::size_t gap : {kGap, kNarrowGap})
      if (Layout layout(columns, gap); layout.width() <= width || (columns.size() == 1 && gap == kNarrowGap))
        return layout;
    columns.erase(std::ranges::min_element(columns, is_less_important));
  }
}

}  // namespace

std::string inked(const std::string& text, Ink ink, bool colour) {
  return colour && ink != Ink::kPlain ? escape_of(ink) + text + "\x1b[0m" : text;
}

std::vector<std::string> heading_from(const std::string& text) {
  const auto lines = split(text, '\n');
  return {lines.begin(), lines.end()};
}

std::string lay_out(std::vector<Column> columns, Rule rule, std::size_t width, bool colour) {
  Layout layout = that_fits(std::move(columns), width);
  std::string text;
  for (std::size_t from_below = layout.heading_lines(); from_below-- > 0;)
    text += inked(layout.heading_row(from_below), Ink::kHeading, colour) + "\n";
  if (rule == Rule::kBelowHeading)
    text += inked(std::string(layout.width(), '-'), Ink::kFaint, colour) + "\n";
  for (std::size_t row = 0; row < layout.rows(); ++row) text += layout.cell_row(row, colour) + "\n";
  return text;
}

}  // namespace cudalab::report
