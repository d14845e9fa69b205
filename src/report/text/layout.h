// Text layout: breaks paragraphs into lines of a given width, and aligns cells in columns.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace cudalab::report {

// The columns that a line takes on a terminal: Chinese characters take two, colour codes none.
std::size_t columns_of(std::string_view line);

// Pads with blanks on the right; a wider text stays unchanged.
std::string padded(std::string_view text, std::size_t columns);
// The same with the blanks on the left.
std::string right_aligned(std::string_view text, std::size_t columns);

// At most `columns` columns: a wider text is cut and ends in `rest`.
std::string shortened(std::string_view text, std::size_t columns, std::string_view rest);

// The lines of a text, without line ends.
std::vector<std::string> lines_in(std::string_view source);

// Breaks text into lines of at most `width` columns, each after `indent` spaces. Words are never broken;
// Chinese is broken between characters, except at punctuation. A number stays on one line with its unit. No
// line end at the end.
std::string wrap(std::string_view text, std::size_t width, std::size_t indent);

// "NAME  text", with the text's other lines aligned below its first. If too little width is left beside the
// name, the text starts on the next line.
std::string hang(std::string_view name, std::string_view text, std::size_t width, std::size_t indent);

// Text with its own line breaks: lines longer than `width` are broken between words and continue below their
// last column (at least two blanks separate columns), or below their own beginning.
std::string fold(std::string_view text, std::size_t width);

// Rewraps paragraphs for this width. Lines that begin with a blank are not part of a paragraph: each is
// folded.
std::string reflow(std::string_view text, std::size_t width);

// A shell command; if it is longer than a line, it is continued over several lines with backslashes.
std::string wrap_command(std::string_view command, std::size_t width, std::size_t indent);

// Lays out rows of cells under headings, in columns as wide as needed.

enum class Ink { kPlain, kGood, kBad, kUnsure, kHeading, kFaint };

// The text in a terminal colour, or unchanged.
std::string inked(const std::string& text, Ink ink, bool colour);

// Splits a heading such as "of\nceiling" into lines.
std::vector<std::string> heading_from(const std::string& text);

struct Column {
  std::vector<std::string> heading;  // lines, the last one stands directly above the cells
  std::vector<std::string>
      group;           // heading lines over this column and its neighbours of the same group; may be empty
  bool left = false;   // left-aligned; else right-aligned
  int importance = 0;  // the least important columns are dropped first if the width does not suffice
  std::vector<std::string> cells;  // one per row; an empty cell is shown as a dash
  std::vector<Ink> inks;           // one per row, or none
  bool is_optional = false;        // dropped before headings and gaps become narrow
};

enum class Rule { kNone, kBelowHeading };

// Leaves out columns with only empty cells. Until the table fits into `width`: optional columns are dropped,
// then group headings are broken after slashes, then the gaps between columns become narrow, then the least
// important columns are dropped. The order of the columns is the same for every width.
std::string lay_out(std::vector<Column> columns, Rule rule, std::size_t width, bool colour);

}  // namespace cudalab::report
