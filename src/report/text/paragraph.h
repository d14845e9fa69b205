// Breaks text into lines of a given width.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace cudalab::report {

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
// between any two characters that its punctuation leaves apart. No line end at the end.
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

}  // namespace cudalab::report
