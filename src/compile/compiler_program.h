// Runs a compiler that is a program of its own (nvcc, clang) on a source, within limits.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "compile/nvrtc/compiler_process.h"
#include "core/processes/child_pool.h"

namespace cudalab::compile {

// Besides those of compile/nvrtc/compiler_process.h.
inline constexpr CompileLimits kProgramLimits{.memory_mib = 8192};

ChildLimits compiler_child_limits();

// Whether an option asks for device code of everything, which only NVRTC has, and clang by a pragma.
bool makes_all_device_code(const CompileRequest& request);

// As messages and line tables of such compilers name the file.
std::string full_name(const std::string& file_name);

// A line marker for that name, and the text of the source behind it.
std::string marked_source(const CompileRequest& request);

// A file that is written for the compiler.
struct SourceFile {
  std::string name, text;
};

struct ProgramOutcome {
  std::string made;  // the text of the file that the compiler wrote; empty where it failed
  std::string log;   // in which the source is called as the request calls it
};

// Compiles the file, which is written into `folder`, to `result` there: `words` are the program and its
// options. Throws CompilerStopped where the compiler passed its limits or crashed.
ProgramOutcome run_compiler(const std::vector<std::string>& words, const SourceFile& source,
                            const std::string& result, const std::string& file_name,
                            const std::filesystem::path& folder);

// What the log says first, with advice.
[[noreturn]] void throw_first_error(const std::string& log, const std::string& file_name);

}  // namespace cudalab::compile
