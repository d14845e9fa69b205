// Chooses the columns that fit, and lays them out.
#include "report/grid.h"

#include <fmt/format.h>

#include <algorithm>

namespace cudalab::report {
namespace {

constexpr std::size_t kGap = 2;

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

std::string padded(const std::string& text, std::size_t width, bool left) {
  return left ? fmt::format("{:<{}}", text, width) : fmt::format("{:>{}}", text, width);
}

std::string without_trailing_blanks(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

std::size_t width_of(const Column& column) {
  std::size_t width = 1;
  for (const std::string& line : column.heading) width = std::max(width, line.size());
  for (const std::string& cell : column.cells) width = std::max(width, cell.size());
  return width;
}

// The end of the run of columns that share a group with column `first`.
std::size_t end_of_group(const std::vector<Column>& columns, std::size_t first) {
  std::size_t end = first + 1;
  while (end < columns.size() && !columns[first].group.empty() && columns[end].group == columns[first].group) ++end;
  return end;
}

std::size_t joint_width(const std::vector<std::size_t>& widths, std::size_t first, std::size_t end) {
  std::size_t width = kGap * (end - first - 1);
  for (std::size_t i = first; i < end; ++i) width += widths[i];
  return width;
}

// Every column as wide as its texts; the first of a group wider where the group's heading needs it.
std::vector<std::size_t> widths_of(const std::vector<Column>& columns) {
  std::vector<std::size_t> widths;
  for (const Column& column : columns) widths.push_back(width_of(column));
  for (std::size_t first = 0; first < columns.size(); first = end_of_group(columns, first)) {
    std::size_t joint = joint_width(widths, first, end_of_group(columns, first));
    if (columns[first].group.size() > joint) widths[first] += columns[first].group.size() - joint;
  }
  return widths;
}

std::size_t total_width(const std::vector<Column>& columns) {
  return joint_width(widths_of(columns), 0, columns.size());
}

bool is_empty(const Column& column) {
  return std::all_of(column.cells.begin(), column.cells.end(), [](const std::string& cell) { return cell.empty(); });
}

void drop_until_it_fits(std::vector<Column>& columns, std::size_t width) {
  std::erase_if(columns, is_empty);
  while (columns.size() > 1 && total_width(columns) > width)
    columns.erase(std::min_element(columns.begin(), columns.end(), [](const Column& a, const Column& b) {
      return a.importance < b.importance;
    }));
}

std::size_t heading_lines(const std::vector<Column>& columns) {
  std::size_t lines = 1;
  for (const Column& column : columns)
    lines = std::max(lines, column.heading.size() + (column.group.empty() ? 0 : 1));
  return lines;
}

// Line `from_below` of a column's own heading, counted from the bottom; 0 is the last.
std::string heading_line(const Column& column, std::size_t from_below) {
  std::size_t lines = column.heading.size();
  return from_below < lines ? column.heading[lines - 1 - from_below] : "";
}

std::string heading_row(const std::vector<Column>& columns, const std::vector<std::size_t>& widths,
                        std::size_t from_below) {
  std::string line;
  for (std::size_t i = 0; i < columns.size();) {
    std::size_t end = i + 1;
    std::string text = heading_line(columns[i], from_below);
    if (!columns[i].group.empty() && from_below == columns[i].heading.size()) {
      end = end_of_group(columns, i);
      text = columns[i].group;
    }
    line += (line.empty() ? "" : std::string(kGap, ' ')) + padded(text, joint_width(widths, i, end), columns[i].left);
    i = end;
  }
  return without_trailing_blanks(line);
}

std::string cell_row(const std::vector<Column>& columns, const std::vector<std::size_t>& widths, std::size_t row,
                     bool colour) {
  std::string line;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const std::string& cell = columns[i].cells[row];
    std::string text = padded(cell.empty() ? "-" : cell, widths[i], columns[i].left);
    if (i + 1 == columns.size()) text = without_trailing_blanks(text);
    Ink ink = columns[i].inks.empty() ? Ink::kPlain : columns[i].inks[row];
    line += (i == 0 ? "" : std::string(kGap, ' ')) + inked(text, cell.empty() ? Ink::kFaint : ink, colour);
  }
  return without_trailing_blanks(line);
}

}  // namespace

std::string inked(const std::string& text, Ink ink, bool colour) {
  return colour && ink != Ink::kPlain ? escape_of(ink) + text + "\x1b[0m" : text;
}

std::string lay_out(std::vector<Column> columns, std::size_t second_part, std::size_t width, bool colour) {
  drop_until_it_fits(columns, width);
  std::vector<std::size_t> widths = widths_of(columns);
  std::string rule = inked(std::string(joint_width(widths, 0, columns.size()), '-'), Ink::kFaint, colour) + "\n";
  std::string text;
  for (std::size_t from_below = heading_lines(columns); from_below-- > 0;)
    text += inked(heading_row(columns, widths, from_below), Ink::kHeading, colour) + "\n";
  text += rule;
  for (std::size_t row = 0; row < columns.front().cells.size(); ++row) {
    if (row == second_part && row > 0) text += rule;
    text += cell_row(columns, widths, row, colour) + "\n";
  }
  return text;
}

}  // namespace cudalab::report
