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

// A function with a body. Found by punctuation alone, so it is found in sources that no compiler accepts.
struct FoundFunction {
  std::string_view name;
  int line = 0;            // of its name
  std::size_t first = 0;   // index of its first token: its qualifiers and its return type begin here
  std::size_t open = 0;    // index of the `(` of its parameters
  std::size_t body = 0;    // index of its `{`
  std::size_t last = 0;    // index behind its `}`, or where the next function begins if none closes it
  bool is_kernel = false;  // __global__
  bool is_device = false;  // __device__ or __global__
};

struct Facts {
  std::string_view source;  // the user's file
  std::string file_name;
  Tokens tokens;                         // of `source`
  std::vector<FoundFunction> functions;  // in the order of the source
  std::vector<Diagnosis> errors;         // in the order of the log

  // The function that holds a line; nothing at the top of the file.
  const FoundFunction* function_at(int line) const;
  const FoundFunction* function_named(std::string_view name) const;
  bool is_own(const SourceLine& where) const { return where.line > 0 && where.file == file_name; }
  bool has_error_at(int line) const;
  bool is_on_line(std::size_t token, int line) const { return tokens[token].line == line; }
};

Facts facts_of(std::string_view source, const std::string& file_name, std::vector<Diagnosis> errors);

// Index of the bracket that closes the one at `open`; the number of tokens if none does.
std::size_t closing(const Tokens& tokens, std::size_t open);

// Indices of the tokens that declare `name`: a type stands before them, and no call or operator.
std::vector<std::size_t> declarations_of(const Facts& facts, std::string_view name);

// The names that the source declares, its macros included.
std::vector<std::string> declared_names(const Facts& facts);

// A source line without its line end; empty if there is no such line.
std::string_view line_of_source(std::string_view source, int line);

// "const float* x, int n": the parameters as the source writes them.
std::string parameters_of(const Facts& facts, const FoundFunction& function);

}  // namespace cudalab::compile
