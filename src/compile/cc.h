// Compiles and links with clang what an nvcc command line asks for.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "compile/clang/clang_program.h"
#include "compile/clang/nvcc_words.h"

namespace cudalab::compile {

struct CcTools {
  std::filesystem::path clang;
  LinkedLibraries libraries;
};

struct CcOutcome {
  std::string printed;                // for standard output: preprocessed text
  std::string log;                    // warnings, and the commands of -v
  std::vector<std::string> provided;  // headers that cudalab provided, as in compile/programs.h
};

// Throws CompileError if a source does not compile, or if the linker fails.
CcOutcome run_plan(const NvccPlan& plan, const CcTools& tools);

}  // namespace cudalab::compile
