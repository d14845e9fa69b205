// The first error in what a compiler said: NVRTC and nvcc write alike, the host's compiler behind nvcc does
// not.
#pragma once

#include <string>
#include <string_view>

namespace cudalab::compile {

struct Diagnosis {
  std::string place;  // "FILE:LINE"; only the file where the log names no line
  std::string text;   // "error: …"
};

Diagnosis first_error(std::string_view log, const std::string& file_name);

// Whether it is about a header that was not found.
bool lacks_header(const Diagnosis& diagnosis);

}  // namespace cudalab::compile
