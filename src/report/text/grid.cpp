// Chooses the columns that fit, and lays them out.
#include "report/text/grid.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/text.h"
#include "core/words/split.h"
#include "report/text/paragraph.h"

namespace cudalab::report {
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

// The longest of some lines.
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
  // The first of a group becomes wider where the group's heading needs it.
  void make_room_for_group(std::size_t first) {
    std::size_t joint = joint_width(first, end_of_group(first)), needed = widest(columns_[first].group);
    if (needed > joint) widths_[first] += needed - joint;
  }

  std::vector<Column> columns_;
  std::size_t gap_;
  std::vector<std::size_t> widths_;
};

// Line `from_below` of some lines, counted from the bottom; 0 is the last.
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

Layout that_fits(std::vector<Column> columns, std::size_t width) {
  std::erase_if(columns, is_empty);
  while (true) {
    for (std::size_t gap : {kGap, kNarrowGap})
      if (Layout layout(columns, gap); layout.width() <= width || (columns.size() == 1 && gap == kNarrowGap))
        return layout;
    columns.erase(std::min_element(columns.begin(), columns.end(), [](const Column& a, const Column& b) {
      return a.importance < b.importance;
    }));
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

std::string lay_out(std::vector<Column> columns, std::size_t second_part, std::size_t width, bool colour) {
  Layout layout = that_fits(std::move(columns), width);
  std::string rule = inked(std::string(layout.width(), '-'), Ink::kFaint, colour) + "\n";
  std::string text;
  for (std::size_t from_below = layout.heading_lines(); from_below-- > 0;)
    text += inked(layout.heading_row(from_below), Ink::kHeading, colour) + "\n";
  text += rule;
  for (std::size_t row = 0; row < layout.rows(); ++row) {
    if (row == second_part && row > 0) text += rule;
    text += layout.cell_row(row, colour) + "\n";
  }
  return text;
}

}  // namespace cudalab::report
