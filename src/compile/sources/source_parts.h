// Splits CUDA C++ source into tokens, and these into declarations and definitions, by punctuation alone.
#pragma once

#include <cstddef>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cudalab::compile {

// Cuts CUDA C++ source into words, marks and preprocessor lines; it knows no grammar beyond that.

enum class TokenKind {
  kWord,       // a name or keyword
  kText,       // a number, a string or a character
  kMark,       // one character of punctuation
  kDirective,  // a preprocessor line with its continuations
};

struct SourceToken {
  TokenKind kind{};
  std::string_view text;  // in the source that was cut
  std::size_t begin = 0;  // its place there
  int line = 0;           // that it begins in, the first being 1
  std::size_t end() const { return begin + text.size(); }
  bool is(std::string_view wanted) const { return text == wanted; }
};

// Comments and what stands under `#if 0` are left out. Never fails: what is not closed ends with its line, or
// with the source.
std::vector<SourceToken> tokens_of(std::string_view source);

// The word after `#`: "include", "if"; empty where none is.
std::string_view directive_name(const SourceToken& directive);
// What follows that word, without blanks around it and without a comment at its end.
std::string_view directive_rest(const SourceToken& directive);

// Cuts a source into its declarations and definitions, by braces, semicolons and parentheses alone.

using Tokens = std::vector<SourceToken>;
using Words = std::set<std::string_view>;

// A declaration or definition: tokens [first, last).
struct Part {
  std::size_t first = 0, last = 0;
  std::string name;
  std::size_t body = 0;         // the index of its `{`; 0 where it has none
  std::size_t declarators = 0;  // of what follows a class's `}`; 0 for other parts
  std::size_t parameters = 0;   // of the `(` of a function; 0 where it is none
  std::string template_parameters;
  bool is_macro_call = false;  // NAME(…) with no type before it
  bool has_value = false;      // an `=` before any body
  bool in_class = false;
};

// Raised by what no grammar allows; the source is then left to the compiler.
struct Unbalanced {};

// The parts of namespaces, of `extern "C"` blocks and of classes stand beside those that hold them. `macros`
// are the names of macros with parameters. Throws Unbalanced.
std::vector<Part> parts_of(const Tokens& tokens, const Words& macros);

bool is_attribute(std::string_view word);  // its parentheses hold no parameters: __launch_bounds__
bool is_class_key(std::string_view word);  // struct, class, union, enum

// Tokens with a blank where the source has some; without preprocessor lines.
std::string text_of(std::span<const SourceToken> tokens);

}  // namespace cudalab::compile
