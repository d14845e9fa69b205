// Lays out rows of cells under headings, in columns as wide as they need to be.
#pragma once

#include <string>
#include <vector>

namespace cudalab::report {

enum class Ink { kPlain, kGood, kBad, kUnsure, kHeading, kFaint };

// The text in a colour of the terminal, or as it is.
std::string inked(const std::string& text, Ink ink, bool colour);

// "of\nceiling" as lines of a heading.
std::vector<std::string> heading_from(const std::string& text);

struct Column {
  std::vector<std::string> heading;  // lines, the last one stands directly above the cells
  std::vector<std::string>
      group;           // lines over this column and its neighbours of the same group; may be empty
  bool left = false;   // aligned; else right
  int importance = 0;  // the least important columns go first when the width does not suffice
  std::vector<std::string> cells;  // one a row; an empty one is shown as a dash
  std::vector<Ink> inks;           // one a row, or none
};

// Columns whose cells are all empty are left out. Until the rest fits into `width`, the gaps between columns
// become narrow, then the least important columns go. A faint line stands under the heading, and one before
// row `second_part`, where it is neither the first nor past the end.
std::string lay_out(std::vector<Column> columns, std::size_t second_part, std::size_t width, bool colour);

}  // namespace cudalab::report
