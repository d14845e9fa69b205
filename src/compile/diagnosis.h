// Explains compiler output: the first error, and CUDA APIs that were removed and what replaced them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/diagnostics/message.h"
#include "core/source_line.h"

namespace cudalab::compile {

// What a compiler says about a source: its first error, or a warning.
struct Diagnosis {
  SourceLine where;            // line 0: the compiler names no line
  std::string kind = "error";  // as the compiler writes it: "error", "error #20", "warning"
  std::string said;            // the compiler's own words, which are never translated
  Message instead;             // shown instead of these words, if they do not help
  Message advice;              // what to do about it; may be empty
  bool lacks_header = false;   // it is about a header that was not found
  std::string undefined_name;  // the identifier that it calls undefined; may be empty
  std::string notes;           // the compiler's notes on this error, a line each; may be empty
  std::string source_text;     // the line `where` of the source; may be empty

  bool is_cause =
      false;  // found in the source: `others` are what the compiler said, and may only follow from it
  bool is_unsupported = false;    // the compiler lacks something that the source uses: no slip of the source
  std::vector<Diagnosis> others;  // the errors that follow this one, without errors of their own
  std::size_t more = 0;           // errors that `others` leaves out

  void add_advice(Message more);
  Message text() const;       // "identifier "N" is undefined", with the advice
  Message with_kind() const;  // "error: identifier "N" is undefined"
  Message message() const;    // "a.cu:12: error: identifier "N" is undefined"

  friend bool operator==(const Diagnosis&, const Diagnosis&) = default;

 private:
  Argument problem() const;
};

// What older textbooks use and CUDA 13 no longer has, and what replaced it.

// Says what replaced the name that the compiler's words are about; empty if it is no such name.
Message advice_on_removed(std::string_view said);

// The first error in what a compiler said: NVRTC and nvcc write alike, the host's compiler behind nvcc does
// not. With advice if it is about a removed name.
Diagnosis first_error(std::string_view log, const std::string& file_name);

// All errors at places in files, in the order of the log.
std::vector<Diagnosis> errors_in(std::string_view log, const std::string& file_name);

// All warnings, in the order of the log.
std::vector<Diagnosis> warnings_in(std::string_view log, const std::string& file_name);

// Whether a kernel launches one, which needs -rdc=true.
bool asks_for_separate_compilation(std::string_view log);

}  // namespace cudalab::compile
