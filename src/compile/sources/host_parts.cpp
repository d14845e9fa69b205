// Decides which parts of a source are host code: by their annotations, or else by their form.
#include "compile/sources/host_parts.h"

#include <algorithm>
#include <array>

namespace cudalab::compile {
namespace {

using Head = std::span<const SourceToken>;  // the tokens of a part before its body

const Words kHostHeaders{"assert.h",
                         "ctype.h",
                         "errno.h",
                         "float.h",
                         "inttypes.h",
                         "limits.h",
                         "locale.h",
                         "malloc.h",
                         "math.h",
                         "memory.h",
                         "omp.h",
                         "mpi.h",
                         "pthread.h",
                         "signal.h",
                         "stdarg.h",
                         "stdbool.h",
                         "stddef.h",
                         "stdint.h",
                         "stdio.h",
                         "stdlib.h",
                         "string.h",
                         "time.h",
                         "unistd.h",
                         "windows.h",
                         "getopt.h",
                         "fcntl.h",
                         "strings.h",
                         "cuda.h",
                         "curand.h",
                         "cufft.h",
                         "cufftXt.h",
                         "cusparse.h",
                         "cublas.h",
                         "nvml.h",
                         "cudnn.h",
                         "cuda_runtime.h",
                         "cuda_runtime_api.h",
                         "cuda_profiler_api.h",
                         "device_launch_parameters.h",
                         "device_functions.h",
                         "cublas_v2.h",
                         "cublasXt.h",
                         "cusolverDn.h",
                         "nvToolsExt.h",
                         "helper_cuda.h",
                         "helper_functions.h",
                         "helper_timer.h",
                         "helper_string.h",
                         "cutil.h"};
constexpr std::array<std::string_view, 4> kHostFolders{"sys/", "thrust/", "opencv2/", "boost/"};

const Words kFunctionSpaces{"__global__", "__device__"};
const Words kSpaces{"__global__", "__device__", "__constant__", "__shared__", "__managed__"};
// Words that begin a declaration of neither a function nor a variable.
const Words kOtherDeclarations{"typedef",  "using", "static_assert", "friend",
                               "template", "enum",  "asm",           "extern"};
const Words kHostTypes{"std",      "thrust",   "FILE",    "vector",
                       "ofstream", "ifstream", "timeval", "cublasHandle_t"};

// ---- names -------------------------------------------------------------------------------------------

void add_macros(const Tokens& tokens, SharedNames& names) {
  for (const SourceToken& token : tokens) {
    if (token.kind != TokenKind::kDirective || directive_name(token) != "define") continue;
    const std::string_view rest = directive_rest(token);
    const std::size_t end = rest.find_first_of(" \t(\\\n");
    const std::string_view name = rest.substr(0, end);
    if (end != std::string_view::npos && rest[end] == '(') names.macros.insert(name);
    for (const std::string_view space : kSpaces)
      if (rest.find(space) != std::string_view::npos) names.annotations.insert(name);
  }
}

// Collects the names of kernels: __global__ … NAME (
void add_kernels(const Tokens& tokens, SharedNames& names) {
  bool is_kernel = false;
  for (std::size_t at = 0; at < tokens.size(); ++at) {
    if (tokens[at].is("__global__")) is_kernel = true;
    const bool opens = tokens[at].is("(") && at > 0 && !is_attribute(tokens[at - 1].text);
    if (is_kernel && opens) names.kernels.insert(tokens[at - 1].text);
    if (opens || tokens[at].is(";")) is_kernel = false;
  }
}

// ---- heads -------------------------------------------------------------------------------------------

std::string_view first_word(Head head) {
  for (const SourceToken& token : head)
    if (!token.is("static") && !token.is("const")) return token.text;
  return {};
}
bool has(Head head, std::string_view word) {
  return std::any_of(head.begin(), head.end(), [&](const SourceToken& token) { return token.is(word); });
}
bool has_any(Head head, const Words& words) {
  return std::any_of(head.begin(), head.end(),
                     [&](const SourceToken& token) { return words.contains(token.text); });
}
// Whether the head contains first::second, such as cuda::std.
bool follows(Head head, std::string_view first, std::string_view second) {
  for (std::size_t i = 3; i < head.size(); ++i)
    if (head[i].is(second) && head[i - 1].is(":") && head[i - 3].is(first)) return true;
  return false;
}

// Explicit instantiations such as `template void launch<float>(float*);` are host code, except those of
// kernels.
bool is_instantiation(Head head) {
  const std::size_t first = head.front().is("extern") ? 1 : 0;
  return head.size() > first + 1 && head[first].is("template") && !head[first + 1].is("<");
}

// constexpr functions become device functions; `= default` and `= delete` define nothing.
bool is_host_function(const Part& part, Head head) {
  if (has(head, "constexpr")) return false;
  if (part.has_value && part.body == 0 && part.in_class) return false;
  if (part.is_macro_call && part.body == 0 && !part.in_class) return false;
  const std::string_view first = first_word(head);
  return first != "typedef" && first != "using" && first != "static_assert" && first != "friend";
}

bool is_host_variable(Head head) {
  const std::string_view first = first_word(head);
  if (kOtherDeclarations.contains(first) && first != "extern") return false;
  if (first == "texture" || first == "surface") return false;    // see removed_apis.h for what replaced them
  const bool forward = is_class_key(first) && head.size() <= 3;  // struct Name ;
  if (forward || head.size() < 3 || has(head, "constexpr")) return false;
  const auto star =
      std::find_if(head.begin(), head.end(), [](const SourceToken& t) { return t.is("*") || t.is("="); });
  return !has(head.first(static_cast<std::size_t>(star - head.begin())), "const") ||
         (star != head.end() && star->is("*"));
}

}  // namespace

bool is_space(std::string_view word) { return kSpaces.contains(word); }

// `<vector>`, `<iostream>`: the C++ library's headers have neither a folder nor an ending.
bool is_host_header(std::string_view name) {
  if (name.find_first_of("./") == std::string_view::npos || kHostHeaders.contains(name)) return true;
  return std::any_of(kHostFolders.begin(), kHostFolders.end(),
                     [&](std::string_view folder) { return name.starts_with(folder); });
}

void add_names(std::string_view source, SharedNames& names) {
  const Tokens tokens = tokens_of(source);
  add_macros(tokens, names);
  add_kernels(tokens, names);
}

// ---- parts -------------------------------------------------------------------------------------------

std::span<const SourceToken> HostJudge::head_of(const Part& part) const {
  const std::size_t end = part.body != 0 ? part.body : part.last;
  return std::span(tokens_).subspan(part.first, end - part.first);
}

bool HostJudge::is_annotated(const Part& part) const {
  const Words& spaces = part.parameters != 0 ? kFunctionSpaces : kSpaces;
  return has_any(head_of(part), spaces) || has_any(head_of(part), names_.annotations);
}

bool HostJudge::belongs_to_host(const Part& part) const {
  const Head head = head_of(part);
  if (is_annotated(part)) return false;
  if (is_instantiation(head)) return !names_.kernels.contains(part.name);
  if (part.parameters != 0) return is_host_function(part, head);
  if (has_any(head, kHostTypes)) return !follows(head, "cuda", "std");
  if (head.front().is("using") && head.size() > 2 && head[1].is("namespace")) return false;
  const bool is_type = part.body != 0 && is_class_key(first_word(head));
  return !part.in_class && !is_type && is_host_variable(head);
}

bool HostJudge::defines_host_variable(const Part& part) const {
  return part.declarators != 0 && part.declarators + 1 < part.last && !part.in_class &&
         !has(head_of(part), "typedef") && !is_annotated(part);
}

bool HostJudge::is_constexpr_function(const Part& part) const {
  const Head head = head_of(part);
  return part.parameters != 0 && has(head, "constexpr") && !is_annotated(part);
}

bool HostJudge::is_kernel(const Part& part) const {
  return part.parameters != 0 && has(head_of(part), "__global__");
}

}  // namespace cudalab::compile
