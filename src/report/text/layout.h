// Text layout: breaks paragraphs into lines of a given width, and aligns cells in columns.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace cudalab::report {

// Breaks text into lines of a given width.

// The columns that a line takes on a terminal: characters, of which Chinese ones take two, without what only
// sets a colour.
std::size_t columns_of(std::string_view line);

// Filled up with blanks behind it; what is wider stays.
std::string padded(std::string_view text, std::size_t columns);
// The same with blanks before it.
std::string right_aligned(std::string_view text, std::size_t columns);

// At most so many columns: what is wider is cut, and ends in `rest`.
std::string shortened(std::string_view text, std::size_t columns, std::string_view rest);

// The lines of a text, without their ends.
std::vector<std::string> lines_in(std::string_view source);

// Lines of at most `width` columns, each after `indent` spaces; words are never broken, but Chinese is
// between any two characters that its punctuation leaves apart. A number stays on the line of its unit. No
// line end at the end.
std::string wrap(std::string_view text, std::size_t width, std::size_t indent);

// "NAME  text" with the following lines of the text below its first; where too little room is left beside the
// name, the text stands below it.
std::string hang(std::string_view name, std::string_view text, std::size_t width, std::size_t indent);

// Text that is laid out in lines already: those that are longer than `width` are broken between words, and go
// on below the last of their columns (two blanks part columns), or below their own beginning.
std::string fold(std::string_view text, std::size_t width);

// Paragraphs that were broken for another width, made for this one. Lines that begin with a blank are no
// paragraph: they are folded each.
std::string reflow(std::string_view text, std::size_t width);

// A command to be typed: where it is longer than a line, in lines that a shell takes for one.
std::string wrap_command(std::string_view command, std::size_t width, std::size_t indent);

// Lays out rows of cells under headings, in columns as wide as they need to be.

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
  bool is_optional = false;        // goes before headings and gaps become narrow
};

enum class Rule { kNone, kBelowHeading };

// Columns whose cells are all empty are left out. Until the rest fits into `width`, optional columns go, then
// headings of groups are broken after their slashes, then the gaps between columns become narrow, then the
// least important columns go. The order of the columns is the same for every width.
std::string lay_out(std::vector<Column> columns, Rule rule, std::size_t width, bool colour);

}  // namespace cudalab::report
