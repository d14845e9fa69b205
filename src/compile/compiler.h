// Compiles CUDA C++ to PTX through NVRTC, and reads the kernels' resource usage from ptxas. Results are
// cached on disk.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compile/diagnosis.h"
#include "core/error.h"
#include "core/named.h"
#include "core/prediction.h"

namespace cudalab::compile {

// Names of source files in the PTX's line table.

// Compilers write absolute paths into `.file`. Replaces the source's path by the name in the request.
std::string with_requested_name(std::string ptx, const std::string& file_name);

// Compiles CUDA C++ to PTX through NVRTC, which is loaded at run time.

// kAuto: nvcc for files with host code, if it is installed; else NVRTC; clang if neither is installed
// (compile/compile_kernels.h).
enum class Compiler { kAuto, kNvrtc, kNvcc, kClang };

// As --compiler and the result document spell them.
inline constexpr Named<Compiler> kCompilerNames[]{{"auto", Compiler::kAuto},
                                                  {"nvrtc", Compiler::kNvrtc},
                                                  {"nvcc", Compiler::kNvcc},
                                                  {"clang", Compiler::kClang}};

// A text that replaces the file an #include of that name would find.
struct HeaderText {
  std::string name, text;
};

// Option: no optimisation, and the PTX names the source's variables.
inline constexpr const char* kForDebugger = "-G";

struct CompileRequest {
  using Define = std::pair<std::string, std::string>;
  std::string source;                            // the text
  std::string file_name;                         // the name in messages and line tables
  std::vector<Define> defines;                   // {"TILE", "32"}; an empty value defines the name only
  int compute_major = 9, compute_minor = 0;      // --gpu-architecture=compute_XY
  std::vector<std::string> include_directories;  // searched before the toolkit's headers
  std::vector<std::string> options;              // further NVRTC options, e.g. "-use_fast_math"
  std::vector<std::string> name_expressions;     // "mm<float,16>": instances to compile and name
  Compiler compiler = Compiler::kAuto;
  // Only the interpreter runs it: a compute capability below the compiler's range becomes its lowest.
  bool is_interpreted = false;
  bool wants_resources = false;  // also reports what ptxas says about each kernel for that compute capability
  // For code that runs little: NVRTC 13 and later optimises less, which takes a fifth of the time.
  bool is_quick = false;
  std::vector<HeaderText> headers;  // for NVRTC only: nvcc reads the files themselves
};

// The user's choices for compiling their own file.
struct CompilerChoice {
  Compiler compiler = Compiler::kAuto;
  std::vector<std::string> include_directories;
  std::string standard;                 // "c++20"; empty: C++17
  bool has_texture_references = false;  // as before CUDA 12: include/cudalab/compat/texture_references.h
  void add_to(CompileRequest& request) const;
};

struct CompiledSource {
  std::string ptx;
  std::string file_name;
  std::map<std::string, std::string> lowered_names;  // name expression -> symbol in the PTX
  std::string log;                                   // the compiler's warnings
  bool from_cache = false;
  Compiler made_by = Compiler::kNvrtc;
  ResourcesBySymbol resources;                  // if requested and available
  std::vector<CompileRequest::Define> defines;  // the macros that it was compiled with
};

// The source does not compile. The message is that of the first error.
class CompileError : public Error {
 public:
  CompileError(Diagnosis diagnosis, std::string log)
      : Error(ExitCode::kUsage, diagnosis.message()),
        diagnosis_(std::move(diagnosis)),
        log_(std::move(log)) {}
  const Diagnosis& diagnosis() const { return diagnosis_; }  // the first error
  const std::string& log() const { return log_; }            // the compiler's complete output

 private:
  Diagnosis diagnosis_;
  std::string log_;
};

// Always compiles with -lineinfo, and as C++17 unless the options name another standard. If NVRTC does not
// know the compute capability yet, it compiles for the highest one below that it knows.
//
// Results are cached on disk (compile/compile_cache.h says where). A source whose includes cannot be
// determined from its text (compile/compile_cache.cpp) is compiled every time.
//
// Environment: CUDALAB_NVRTC names the library or its directory, instead of the search in compile/toolkit.h;
// CUDALAB_CUDA_INCLUDE names the directory of the toolkit's headers; CUDALAB_CACHE_DIR the cache.
//
// Throws Error(kUnavailable) if NVRTC is missing, or if the source needs the toolkit's headers and they are
// missing; CompileError if the source does not compile: "FILE:LINE: error: …".
CompiledSource compile(const CompileRequest& request);

// Whether the options choose a C++ standard: "-std=c++20".
bool names_a_standard(const std::vector<std::string>& options);

// Throws the Error(kUnavailable) of compile() if NVRTC is missing. Callers use it to fail early.
void require_compiler();

// Whether compile_kernels() can use NVRTC, or clang in its place; clang does not count if the user names an
// NVRTC.
bool has_compiler();

// "13.0"; empty if NVRTC is not installed.
std::optional<std::string> compiler_version();

// The resource usage of kernels as ptxas reports it: registers, shared memory, stack, spills.

// The ptxas option for this report, and NVRTC's option that passes it on.
inline constexpr const char* kPtxasVerbose = "-v";
inline constexpr const char* kNvrtcVerbose = "--ptxas-options=-v";

// Reads a log of `ptxas -v` (CUDA 12 and 13), which may contain other lines. Leaves out kernels with
// incomplete reports. Never throws, whatever the text.
ResourcesBySymbol resources_in(std::string_view log);

// The log without ptxas's lines: the output of the front end.
std::string without_ptxas(std::string_view log);

// For a failed compilation: whether only the machine code failed, so PTX alone is still available.
bool concerns_machine_code(std::string_view log);

// The resource usage of the kernels in a PTX text, for the request's compute capability, from the ptxas of
// nvcc's toolkit. Empty if there is none, if it refuses, or if device functions are linked later (-rdc),
// which may need more registers.
ResourcesBySymbol resources_by_ptxas(const CompileRequest& request, const std::string& ptx,
                                     const std::filesystem::path& nvcc);

}  // namespace cudalab::compile
