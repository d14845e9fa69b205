// Builds whole programs: a .cu file that defines main, or several files, with nvcc or clang.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compile/compiler.h"

namespace cudalab::compile {

// Whether the text defines main.
bool has_main(std::string_view source);

// Throws Error(kUsage) if the name of the file is not that of a source file.
void require_source(const std::string& file);

// A compiler that builds programs.
struct ProgramCompiler {
  Compiler kind = Compiler::kNvcc;  // or kClang
  std::filesystem::path path;
  // The folder of the CUDA runtime that a GPU needs; empty for clang, whose programs have none of their own.
  std::filesystem::path libraries() const;
};

// nvcc, or clang if nvcc is not installed or clang is asked for; empty if it is not installed.
std::optional<ProgramCompiler> find_program_compiler(Compiler asked = Compiler::kAuto);

struct ProgramBuild {
  ProgramCompiler compiler;
  CompileRequest request{};           // the source, its file, defines, folders and further options
  std::vector<std::string> others{};  // further files of the program: .cu, .cpp, .cc, .cxx, .c
  // An untrusted source: the compiler works in the sandbox (core/processes/child_pool.h), finds no files next
  // to the source, and the cache keeps nothing. The program is written into a folder that the sandbox owns.
  bool is_strangers = false;
  std::filesystem::path runtime{};  // libcudart of the virtual GPU, which clang links
};

// Writes the executable program to `to`, with debug information, so reports can name its lines. Device code
// of several files is linked where it refers to each other. A header that courses hand out and the program's
// folder lacks is cudalab's own (compile/course_headers.h); their names are returned. Throws CompileError if
// a source does not compile.
std::vector<std::string> build_program(const ProgramBuild& build, const std::filesystem::path& to);

// How the steps of a build run: in the folder `outside`, which the compiler sees as `inside`.
struct BuildFolder {
  std::filesystem::path outside, inside;
};

}  // namespace cudalab::compile
