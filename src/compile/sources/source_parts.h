// Cuts a source into its declarations and definitions, by braces, semicolons and parentheses alone.
#pragma once

#include <cstddef>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compile/sources/source_tokens.h"

namespace cudalab::compile {

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
