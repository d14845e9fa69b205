// Splits CUDA C++ source into tokens, and these into declarations and definitions, by punctuation alone.
#pragma once

#include <cstddef>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cudalab::compile {

// Splits CUDA C++ source into words, marks and preprocessor lines, with no further grammar.

enum class TokenKind {
  kWord,       // a name or keyword
  kText,       // a number, a string or a character
  kMark,       // one character of punctuation
  kDirective,  // a preprocessor line with its continuations
};

struct SourceToken {
  TokenKind kind{};
  std::string_view text;  // a view into the source
  std::size_t begin = 0;  // its offset in the source
  int line = 0;           // the line in which it begins, counted from 1
  std::size_t end() const { return begin + text.size(); }
  bool is(std::string_view wanted) const { return text == wanted; }
};

// Leaves out comments and code under `#if 0`. Never fails: an unclosed token ends with its line, or with the
// source.
std::vector<SourceToken> tokens_of(std::string_view source);

// The word after `#`: "include", "if"; empty if there is none.
std::string_view directive_name(const SourceToken& directive);
// The rest of the line, without surrounding blanks and a comment at its end.
std::string_view directive_rest(const SourceToken& directive);

// Splits a source into declarations and definitions, by braces, semicolons and parentheses alone.

using Tokens = std::vector<SourceToken>;
using Words = std::set<std::string_view>;

// A declaration or definition: tokens [first, last).
struct Part {
  std::size_t first = 0, last = 0;
  std::string name;
  std::size_t body = 0;         // the index of its `{`; 0 if it has none
  std::size_t declarators = 0;  // the index after a class's `}`; 0 for other parts
  std::size_t parameters = 0;   // the index of the `(` of a function; 0 for other parts
  std::string template_parameters;
  bool is_macro_call = false;  // NAME(…) with no type before it
  bool has_value = false;      // an `=` before any body
  bool in_class = false;
};

// Thrown if brackets do not match; the source is then left to the compiler.
struct Unbalanced {};

// Parts inside namespaces, `extern "C"` blocks and classes are listed beside those that contain them.
// `macros`: the names of macros with parameters. Throws Unbalanced.
std::vector<Part> parts_of(const Tokens& tokens, const Words& macros);

bool is_attribute(std::string_view word);  // its parentheses do not contain parameters: __launch_bounds__
bool is_class_key(std::string_view word);  // struct, class, union, enum

// The tokens' text, with one blank where the source has any; without preprocessor lines.
std::string text_of(std::span<const SourceToken> tokens);

}  // namespace cudalab::compile
