// Removes from a .cu file what only a host compiler can use: `main`, launches, allocations, <iostream>. NVRTC
// refuses functions and variables without an execution or memory space, so these are removed.
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
  std::string name;  // "main"; the header's name for an #include
  int first_line = 0, last_line = 0;
  bool is_function = false, is_include = false;
};

struct DeclaredParameter {
  std::string text;  // "const float* x"
  std::string name;  // "x"; empty if it has none
};

// A `__global__` function as declared in the text.
struct KernelDeclaration {
  std::string name;                 // "step", "physics::step"
  std::string template_parameters;  // "class T, int N"; empty if it is not a template
  std::vector<DeclaredParameter> parameters;
  int line = 0, last_line = 0;  // the lines of its name and its closing brace
};

// "saxpy(float a, const float* x)", "mm<class T, int N>(…)"
std::string signature(const KernelDeclaration& declaration);

// A user file that the source includes, processed in the same way.
struct DeviceHeader {
  std::string path, text;
  std::vector<SourcePart> left_out, kept;
};

struct DeviceCode {
  // The source with blanks in place of what was left out, so line numbers stay. constexpr functions get a
  // `__device__`, because nvcc lets kernels use them in constants.
  std::string text;
  std::size_t begin = 0;  // of the source in the text, behind what add_stand_ins() inserted
  std::vector<SourcePart> left_out;
  std::vector<SourcePart> kept;  // kept without an annotation: types and constants
  std::vector<KernelDeclaration> kernels;
  std::vector<DeviceHeader> headers;  // the headers that the text includes by path
};

struct IncludedHeader {
  std::string_view name;  // "common/book.h"
  bool in_quotes = false;
};

// The path to include instead of a header, or "" for the header itself. Empty if no directory has it: the
// #include is then left out, too.
using FindHeader = std::function<std::optional<std::string>(const IncludedHeader&)>;

// A source with unmatched braces stays unchanged, except for its includes. `headers` stays empty.
DeviceCode device_code_of(std::string_view source, const SharedNames& names, const FindHeader& find);
// For a file that includes no other user file.
DeviceCode device_code_of(std::string_view source, const FindHeader& find);

// Inserts before the first line what kernels expect of headers, if some were left out.
void add_stand_ins(DeviceCode& code);

// The innermost preprocessor condition around a line, `#ifdef DEBUG` or its `#else`. Empty if there is none.
struct Condition {
  std::string text;
  int line = 0;
};
std::optional<Condition> condition_around(std::string_view source, int line);

// The headers that a source names.
std::vector<IncludedHeader> included_headers(std::string_view source);

// Advice on an error in a line of a file of which parts were left out; empty if there is none. `said`: the
// compiler's words. `file` is empty for the source itself.
Message advice_on(const DeviceCode& code, std::string_view said, const std::string& file, int line);

}  // namespace cudalab::compile
