// Reads the errors and warnings in compiler output, and explains CUDA APIs that were removed.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/diagnostics/message.h"
#include "core/source_line.h"

namespace cudalab::compile {

// What a compiler reports about a source: its first error, or a warning.
struct Diagnosis {
  SourceLine where;            // line 0: the compiler gives no line
  std::string kind = "error";  // as the compiler writes it: "error", "error #20", "warning"
  std::string said;            // the compiler's own words, which are never translated
  Message instead;             // shown instead of the compiler's words, if they do not help
  Message advice;              // what to do about it; may be empty
  bool lacks_header = false;   // the error is about a header that was not found
  std::string undefined_name;  // the identifier that the error calls undefined; may be empty
  std::string notes;           // the compiler's notes on this error, one per line; may be empty
  std::string source_text;     // the line `where` of the source; may be empty

  bool is_cause =
      false;  // found in the source; `others` are the compiler's errors, which may be consequences of it
  // The compiler does not support something in the source, which is not a mistake.
  bool is_unsupported = false;
  std::vector<Diagnosis> others;  // the errors after this one; their own `others` are empty
  std::size_t more = 0;           // number of errors that `others` leaves out

  void add_advice(Message more);
  Message text() const;       // "identifier "N" is undefined", with the advice
  Message with_kind() const;  // "error: identifier "N" is undefined"
  Message message() const;    // "a.cu:12: error: identifier "N" is undefined"

  friend bool operator==(const Diagnosis&, const Diagnosis&) = default;

 private:
  Argument problem() const;
};

// APIs in older textbooks that CUDA 13 no longer has, and their replacements.

// Names the replacement of the removed API that the compiler's words mention; empty if it was not removed.
Message advice_on_removed(std::string_view said);

// The first error in a compiler's output, with advice if it is about a removed API. NVRTC and nvcc have one
// format; the host compiler that nvcc runs has another.
Diagnosis first_error(std::string_view log, const std::string& file_name);

// The name of a symbol as in the source: "scaled(int)" for _Z6scaledi; other names are returned as they are.
std::string readable_name(const std::string& name);

// All errors with a place in a file, in the order of the log.
std::vector<Diagnosis> errors_in(std::string_view log, const std::string& file_name);

// All warnings, in the order of the log.
std::vector<Diagnosis> warnings_in(std::string_view log, const std::string& file_name);

// Whether a kernel launches another kernel, which needs -rdc=true.
bool asks_for_separate_compilation(std::string_view log);

}  // namespace cudalab::compile
