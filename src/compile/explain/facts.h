// The facts of a source that does not compile: its tokens, functions, declarations and the compiler's errors.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compile/diagnosis.h"
#include "compile/sources/source_parts.h"

namespace cudalab::compile {

// A function with a body. It is found by punctuation alone, so also in sources that do not compile.
struct FoundFunction {
  std::string_view name;
  int line = 0;            // the line of its name
  std::size_t first = 0;   // index of its first token, at the start of qualifiers and return type
  std::size_t open = 0;    // index of the `(` of its parameters
  std::size_t body = 0;    // index of its `{`
  std::size_t last = 0;    // index after its `}`, or where the next function begins if there is no `}`
  bool is_kernel = false;  // __global__
  bool is_device = false;  // __device__ or __global__
};

struct Facts {
  std::string_view source;  // the user's file
  std::string file_name;
  Tokens tokens;                         // of `source`
  std::vector<FoundFunction> functions;  // in the order of the source
  std::vector<Diagnosis> errors;         // in the order of the log

  // The function that contains a line; null outside of functions.
  const FoundFunction* function_at(int line) const;
  const FoundFunction* function_named(std::string_view name) const;
  bool is_own(const SourceLine& where) const { return where.line > 0 && where.file == file_name; }
  bool has_error_at(int line) const;
  bool is_on_line(std::size_t token, int line) const { return tokens[token].line == line; }
};

Facts facts_of(std::string_view source, const std::string& file_name, std::vector<Diagnosis> errors);

// The index of the bracket that matches the one at `open`; the number of tokens if there is none.
std::size_t closing(const Tokens& tokens, std::size_t open);

// How many tokens `mark` stand at `at`, as `<<<` is three.
std::size_t run_of(const Tokens& tokens, std::size_t at, std::string_view mark);

// The index after template arguments `<…>` at `at`, if a launch or a call follows; else `at`.
std::size_t behind_template_arguments(const Tokens& tokens, std::size_t at);

// The indices of the tokens that declare `name`: a type precedes them, not a call or an operator.
std::vector<std::size_t> declarations_of(const Facts& facts, std::string_view name);

// The names that the source declares, its macros included.
std::vector<std::string> declared_names(const Facts& facts);

// A source line without its line end; empty if there is no such line.
std::string_view line_of_source(std::string_view source, int line);

// "const float* x, int n": the parameters as the source writes them.
std::string parameters_of(const Facts& facts, const FoundFunction& function);

}  // namespace cudalab::compile
