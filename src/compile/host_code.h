// Takes out of a .cu file what only a host compiler can use: `main`, launches, allocations, <iostream>. NVRTC
// refuses every function and variable without an execution or memory space, so those are what is left out.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace cudalab::compile {

// A function, variable, type or #include at the top of the file, or inside a namespace or class.
struct SourcePart {
  std::string name;  // "main"; of an #include, the header's
  int first_line = 0, last_line = 0;
  bool is_function = false, is_include = false;
};

struct DeclaredParameter {
  std::string text;  // "const float* x"
  std::string name;  // "x"; empty where it has none
};

// A `__global__` function as the text declares it.
struct KernelDeclaration {
  std::string name;                 // "step", "physics::step"
  std::string template_parameters;  // "class T, int N"; empty where it is no template
  std::vector<DeclaredParameter> parameters;
  int line = 0, last_line = 0;  // where its name and its closing brace stand
};

struct DeviceCode {
  // The source, with blanks in place of what was left out: every line keeps its number. constexpr functions,
  // which nvcc lets kernels use in constants, gain a `__device__`.
  std::string text;
  std::vector<SourcePart> left_out;
  std::vector<SourcePart>
      kept;  // although no annotation says that they are the device's: types and constants
  std::vector<KernelDeclaration> kernels;
};

struct IncludedHeader {
  std::string_view name;  // "common/book.h"
  bool in_quotes = false;
};

// `is_missing` says of a header that no directory has it: such an #include is left out, too. Source whose
// braces do not match comes back as it is, but for its includes.
DeviceCode device_code_of(std::string_view source,
                          const std::function<bool(const IncludedHeader&)>& is_missing);

// What to do about the compiler's error in a line of what was kept, beginning with "; "; empty where that is
// not known.
std::string advice_on(const DeviceCode& code, std::string_view error, int line);

}  // namespace cudalab::compile
