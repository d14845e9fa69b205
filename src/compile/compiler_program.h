// Runs a compiler that is a separate program (nvcc, clang) on a source, within limits.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "compile/nvrtc/compiler_process.h"
#include "core/processes/child_pool.h"

namespace cudalab::compile {

// In addition to the limits of compile/nvrtc/compiler_process.h.
inline constexpr CompileLimits kProgramLimits{.memory_mib = 8192};

ChildLimits compiler_child_limits();

// Whether an option makes all functions device code. NVRTC has this option, nvcc does not, and clang has a
// pragma for it.
bool makes_all_device_code(const CompileRequest& request);

// The file's name in the messages and line tables of such compilers.
std::string full_name(const std::string& file_name);

// A line marker with that name, followed by the source text.
std::string marked_source(const CompileRequest& request);

// A file that is written for the compiler.
struct SourceFile {
  std::string name, text;
};

struct ProgramOutcome {
  std::string made;  // the text of the compiler's output file; empty if it failed
  std::string log;   // the compiler's messages, with the request's name for the source
};

// Where a compiler runs: the folder of its files, and for untrusted sources the sandbox, in which it can read
// these folders besides the system's.
struct CompilerPlace {
  std::filesystem::path folder;
  std::optional<std::vector<std::filesystem::path>> sandbox{};
};

// Writes the file into the folder and compiles it to `result` there. `words` are the program and its options.
// Throws CompilerStopped if the compiler exceeded its limits or crashed.
ProgramOutcome run_compiler(const std::vector<std::string>& words, const SourceFile& source,
                            const std::string& result, const std::string& file_name,
                            const CompilerPlace& place);

inline constexpr const char* kCompilerVariable = "CUDALAB_COMPILER";

// The compiler that the user asks for, else that of the variable; kAuto if neither is named. Throws
// Error(kUsage) if the variable names no compiler.
Compiler chosen_compiler(Compiler asked);

// Throws the log's first error, with advice.
[[noreturn]] void throw_first_error(const std::string& log, const std::string& file_name);

}  // namespace cudalab::compile
