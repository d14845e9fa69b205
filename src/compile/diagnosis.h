// Explains compiler output: the first error, and CUDA APIs that were removed and what replaced them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cudalab::compile {

// What older textbooks use and CUDA 13 no longer has, and what replaced it.

// One sentence about the name that the compiler's error is about, beginning with "; "; empty where it is no
// such name.
std::string advice_on_removed(std::string_view error);

// The first error in what a compiler said: NVRTC and nvcc write alike, the host's compiler behind nvcc does
// not.

struct Diagnosis {
  std::string place;  // "FILE:LINE"; only the file where the log names no line
  std::string text;   // "error: …"
};

Diagnosis first_error(std::string_view log, const std::string& file_name);

// All warnings, in the order of the log.
std::vector<Diagnosis> warnings_in(std::string_view log, const std::string& file_name);

// Whether it is about a header that was not found.
bool lacks_header(const Diagnosis& diagnosis);

// Whether a kernel launches one, which needs -rdc=true.
bool asks_for_separate_compilation(std::string_view log);

}  // namespace cudalab::compile
