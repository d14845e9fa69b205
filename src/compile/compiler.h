// Compiles CUDA C++ to PTX through NVRTC, and reads from ptxas what resources the kernels use; results are
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

// The names of source files in a PTX's line table.

// Compilers write absolute paths into `.file`; the source itself shall appear under the name that the request
// gave.
std::string with_requested_name(std::string ptx, const std::string& file_name);

// CUDA C++ source to PTX through NVRTC, which is loaded at run time; results are cached on disk.

// kAuto: nvcc for what holds host code, where it is installed; else NVRTC; clang where neither is
// (compile/compile_kernels.h).
enum class Compiler { kAuto, kNvrtc, kNvcc, kClang };

// As --compiler and the result document spell them.
inline constexpr Named<Compiler> kCompilerNames[]{{"auto", Compiler::kAuto},
                                                  {"nvrtc", Compiler::kNvrtc},
                                                  {"nvcc", Compiler::kNvcc},
                                                  {"clang", Compiler::kClang}};

// A file in place of the one that an #include of that name would find.
struct HeaderText {
  std::string name, text;
};

// An option: nothing is optimised, and the PTX names the source's variables.
inline constexpr const char* kForDebugger = "-G";

struct CompileRequest {
  using Define = std::pair<std::string, std::string>;
  std::string source;                            // the text
  std::string file_name;                         // as messages and line tables shall name it
  std::vector<Define> defines;                   // {"TILE", "32"}; an empty value defines the name alone
  int compute_major = 9, compute_minor = 0;      // --gpu-architecture=compute_XY
  std::vector<std::string> include_directories;  // searched before the toolkit's headers
  std::vector<std::string> options;              // further NVRTC options, e.g. "-use_fast_math"
  std::vector<std::string> name_expressions;     // "mm<float,16>": instances to compile and name
  Compiler compiler = Compiler::kAuto;
  bool is_interpreted = false;   // no card runs it: where the compiler knows no capability so low, its lowest
  bool wants_resources = false;  // also what ptxas makes of each kernel for that compute capability
  // For code that runs little: NVRTC 13 and later optimise less, which takes a fifth of the time.
  bool is_quick = false;
  std::vector<HeaderText> headers;  // of NVRTC alone: nvcc reads the files themselves
};

// How a user's own file is compiled, as far as the user says so.
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
  ResourcesBySymbol resources;                  // where they were asked for and can be had
  std::vector<CompileRequest::Define> defines;  // it was compiled with
};

// The source does not compile. The message is that of the first error.
class CompileError : public Error {
 public:
  CompileError(Diagnosis diagnosis, std::string log)
      : Error(ExitCode::kUsage, diagnosis.message()),
        diagnosis_(std::move(diagnosis)),
        log_(std::move(log)) {}
  const Diagnosis& diagnosis() const { return diagnosis_; }  // the first error
  const std::string& log() const { return log_; }            // all that the compiler said

 private:
  Diagnosis diagnosis_;
  std::string log_;
};

// Always with -lineinfo, and as C++17 unless the options name another standard. Where NVRTC does not know the
// compute capability yet, for the highest one below that it knows.
//
// Results are kept on disk: see compile/compile_cache.h for where. A source whose includes cannot be told
// from its text (compile/compile_cache.cpp) is compiled every time.
//
// Environment: CUDALAB_NVRTC names the library, or its directory, instead of the search of compile/toolkit.h;
// CUDALAB_CUDA_INCLUDE the directory of the toolkit's headers; CUDALAB_CACHE_DIR the cache.
//
// Throws Error(kUnavailable) when NVRTC is missing, or the toolkit's headers are and the source needs them,
// and CompileError when the source does not compile: "FILE:LINE: error: …".
CompiledSource compile(const CompileRequest& request);

// Whether further options choose the standard: "-std=c++20".
bool names_a_standard(const std::vector<std::string>& options);

// Throws the Error(kUnavailable) of compile() where NVRTC is missing: what needs it often asks once before.
void require_compiler();

// Whether compile_kernels() has NVRTC, or clang in its place: not where the user says which NVRTC to take.
bool has_compiler();

// "13.0", or nothing where NVRTC is not installed.
std::optional<std::string> compiler_version();

// What ptxas makes of kernels, from what it says about them: registers, shared memory, stack, spills.

// The option that has ptxas say it, and NVRTC's for it.
inline constexpr const char* kPtxasVerbose = "-v";
inline constexpr const char* kNvrtcVerbose = "--ptxas-options=-v";

// From a log of `ptxas -v` (CUDA 12 and 13), alone or among others' lines. A kernel of which the log does not
// say everything is left out. Never throws, whatever the text.
ResourcesBySymbol resources_in(std::string_view log);

// The log without ptxas's lines: what the front end has to say.
std::string without_ptxas(std::string_view log);

// Of a compilation that failed: whether the PTX alone can be had, because only what NVRTC does with it
// failed.
bool concerns_machine_code(std::string_view log);

// Of the kernels of a PTX text, for the compute capability that the request names, by the ptxas of nvcc's
// toolkit. Empty where there is none or it refuses, and where device functions are only linked later (-rdc),
// which may take more registers.
ResourcesBySymbol resources_by_ptxas(const CompileRequest& request, const std::string& ptx,
                                     const std::filesystem::path& nvcc);

}  // namespace cudalab::compile
