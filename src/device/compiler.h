// CUDA C++ source to PTX through NVRTC, which is loaded at run time; results are cached on disk.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace cudalab::device {

struct CompileRequest {
  std::string source;                                         // the text
  std::string file_name;                                      // as messages and line tables shall name it
  std::vector<std::pair<std::string, std::string>> defines;   // {"TILE", "32"}; an empty value defines the name alone
  int compute_major = 9, compute_minor = 0;                   // --gpu-architecture=compute_XY
  std::vector<std::string> include_directories;               // searched before the toolkit's headers
  std::vector<std::string> options;                           // further NVRTC options, e.g. "-use_fast_math"
  std::vector<std::string> name_expressions;                  // "mm<float,16>": instances to compile and name
};

struct CompiledSource {
  std::string ptx;
  std::string file_name;
  std::map<std::string, std::string> lowered_names;  // name expression -> symbol in the PTX
  std::string log;                                   // the compiler's warnings
  bool from_cache = false;
};

// Throws Error(kUnavailable) when NVRTC or the toolkit's headers are missing, and Error(kUsage) when the source does
// not compile: the first error in one line, "FILE:LINE: error: …", and the whole log in CompileError::log.
CompiledSource compile(const CompileRequest& request);

// "13.0", or nothing where NVRTC is not installed.
std::optional<std::string> compiler_version();

}  // namespace cudalab::device
