// Runs nvcc: CUDA C++ to PTX for files with host code, and whole programs to executables.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compile/compiler.h"

namespace cudalab::compile {

// Builds a .cu file that holds a main into a program, with nvcc; kept in the cache.

// Whether the text defines a main of its own.
bool has_main(std::string_view source);

// What turns a file into a program that the virtual GPU runs and whose lines a report can name.
struct ProgramBuild {
  std::filesystem::path nvcc;
  CompileRequest request;             // its source, file, defines, folders and further options
  std::vector<std::string> others{};  // further files of the program: .cu, .cpp, .cc, .cxx, .c
  // A stranger's text: nvcc works in the sandbox (core/processes/child_pool.h), finds no file beside it, and
  // nothing is kept. The program is then written into a folder that is the sandbox's.
  bool is_strangers = false;
};

// Throws Error(kUsage) where a file's name is none of a source.
void require_source(const std::string& file);

// Writes the program to `to`, executable. Device code of several files is linked, where it can be. Throws
// CompileError where a source does not compile.
void build_program(const ProgramBuild& build, const std::filesystem::path& to);

// CUDA C++ to PTX through nvcc, which splits host and device code by itself: for files that hold a whole
// program.

// nvcc on the PATH or in a toolkit (compile/toolkit.h); nothing where it is not installed, or has no host
// compiler.
std::optional<std::filesystem::path> find_nvcc();

// C++17 where the request's options name no standard, and its defines, as options of nvcc.
void add_standard_and_defines(std::vector<std::string>& options, const CompileRequest& request);

// compile() of compile/compiler.h by nvcc: the same options, cache and errors. The file's own folder is
// searched for headers in quotes. Instances of templates (CompileRequest::name_expressions) are made by
// naming them behind the source. Ends with compile/nvrtc/compiler_process.h, or beyond 8 GiB, as a
// CompileError.
CompiledSource compile_with_nvcc(const CompileRequest& request, const std::filesystem::path& nvcc);

}  // namespace cudalab::compile
