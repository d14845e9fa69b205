// Takes out of a .cu file what only a host compiler can use: `main`, launches, allocations, <iostream>. NVRTC
// refuses every function and variable without an execution or memory space, so those are what is left out.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compile/sources/host_parts.h"
#include "core/diagnostics/message.h"

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

// "saxpy(float a, const float* x)", "mm<class T, int N>(…)"
std::string signature(const KernelDeclaration& declaration);

// A file of the user's that the source includes, treated like it.
struct DeviceHeader {
  std::string path, text;
  std::vector<SourcePart> left_out, kept;
};

struct DeviceCode {
  // The source, with blanks in place of what was left out: every line keeps its number. constexpr functions,
  // which nvcc lets kernels use in constants, gain a `__device__`.
  std::string text;
  std::vector<SourcePart> left_out;
  std::vector<SourcePart>
      kept;  // although no annotation says that they are the device's: types and constants
  std::vector<KernelDeclaration> kernels;
  std::vector<DeviceHeader> headers;  // that the text includes by their paths
};

struct IncludedHeader {
  std::string_view name;  // "common/book.h"
  bool in_quotes = false;
};

// What to include instead of a header: a path, or "" for the header itself. Nothing where no directory has
// it: such an #include is left out, too.
using FindHeader = std::function<std::optional<std::string>(const IncludedHeader&)>;

// Source whose braces do not match comes back as it is, but for its includes. `headers` stays empty.
DeviceCode device_code_of(std::string_view source, const SharedNames& names, const FindHeader& find);
// Of a file that includes no other of the user's.
DeviceCode device_code_of(std::string_view source, const FindHeader& find);

// Puts what kernels expect of headers in front of the first line, where some were left out.
void add_stand_ins(DeviceCode& code);

// The headers that a source names.
std::vector<IncludedHeader> included_headers(std::string_view source);

// Says what to do about an error in a line of a file of which parts were left out; empty if that is not
// known. `said`: the compiler's words. `file` is empty for the source itself.
Message advice_on(const DeviceCode& code, std::string_view said, const std::string& file, int line);

}  // namespace cudalab::compile
