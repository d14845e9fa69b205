// CUDA C++ to PTX through nvcc, for files with host code.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compile/compiler.h"

namespace cudalab::compile {

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
