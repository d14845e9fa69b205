// Builds a .cu file that holds a main into a program, with nvcc; kept in the cache.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "compile/compiler.h"

namespace cudalab::compile {

// Whether the text defines a main of its own.
bool has_main(std::string_view source);

// What turns a file into a program that the virtual GPU runs and whose lines a report can name.
struct ProgramBuild {
  std::filesystem::path nvcc;
  CompileRequest request;             // its source, file, defines, folders and further options
  std::vector<std::string> others{};  // further files of the program: .cu, .cpp, .cc, .cxx, .c
  // A stranger's text: nvcc works in the sandbox (core/processes/sandbox.h), finds no file beside it, and
  // nothing is kept. The program is then written into a folder that is the sandbox's.
  bool is_strangers = false;
};

// Throws Error(kUsage) where a file's name is none of a source.
void require_source(const std::string& file);

// Writes the program to `to`, executable. Device code of several files is linked, where it can be. Throws
// CompileError where a source does not compile.
void build_program(const ProgramBuild& build, const std::filesystem::path& to);

}  // namespace cudalab::compile
