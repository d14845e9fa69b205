// Builds whole programs with nvcc or clang: a .cu file that defines main, or several files.
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

// Throws Error(kUsage) unless the file's name is that of a source file.
void require_source(const std::string& file);

// A compiler that builds programs.
struct ProgramCompiler {
  Compiler kind = Compiler::kNvcc;  // or kClang
  std::filesystem::path path;
  // The folder of the CUDA runtime, which a program on a GPU needs; empty for clang, which has none.
  std::filesystem::path libraries() const;
};

// nvcc; clang if it is requested or nvcc is not installed; empty if neither is installed.
std::optional<ProgramCompiler> find_program_compiler(Compiler asked = Compiler::kAuto);

struct ProgramBuild {
  ProgramCompiler compiler;
  CompileRequest request{};           // the source, its name, defines, folders and options
  std::vector<std::string> others{};  // further files of the program: .cu, .cpp, .cc, .cxx, .c
  // The source is untrusted: the compiler runs in the sandbox (core/processes/child_pool.h), finds no files
  // next to the source, and nothing is cached. The program is written into a folder that the sandbox owns.
  bool is_strangers = false;
  std::filesystem::path runtime{};  // libcudart of the virtual GPU, with which clang links
  // Of the same folder: linked with the program if it calls their functions.
  std::vector<std::filesystem::path> libraries{};
};

// What a build says besides the program.
struct BuiltProgram {
  std::vector<std::string> provided;  // headers that cudalab provided
  std::string log;                    // the compiler's output: its warnings
};

// Writes the executable program to `to`, with debug information, so reports can name its lines. Device code
// of several files is linked if the files refer to each other. If the program's folder lacks a header that
// courses hand out, cudalab's own is used (compile/course_headers.h); returns the names of such headers.
// Throws CompileError if a source does not compile.
BuiltProgram build_program(const ProgramBuild& build, const std::filesystem::path& to);

// The folder in which the steps of a build run: its path is `outside`, and the compiler sees it as `inside`.
struct BuildFolder {
  std::filesystem::path outside, inside;
};

}  // namespace cudalab::compile
