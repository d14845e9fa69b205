// Compiles CUDA C++ to PTX through nvcc, for files with host code.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compile/compiler.h"

namespace cudalab::compile {

// nvcc on the PATH or in a toolkit (compile/toolkit.h); empty if it is not installed or has no host compiler.
std::optional<std::filesystem::path> find_nvcc();

// Adds the request's defines, and C++17 unless its options name a standard, as nvcc options.
void add_standard_and_defines(std::vector<std::string>& options, const CompileRequest& request);

// Does what compile() of compile/compiler.h does, by nvcc: same options, cache and errors. Headers in quotes
// are also searched in the file's own folder. Template instances (CompileRequest::name_expressions) are
// created by naming them after the source. Exceeding the time limit of compile/nvrtc/compiler_process.h, or 8
// GiB, is a CompileError.
CompiledSource compile_with_nvcc(const CompileRequest& request, const std::filesystem::path& nvcc);

}  // namespace cudalab::compile
