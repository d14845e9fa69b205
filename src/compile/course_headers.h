// Provides headers for programs from textbooks: cudalab's own common.h or helper_cuda.h if the program's
// folder lacks it, and texture references, which CUDA 12 removed.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "compile/compiler.h"

namespace cudalab::compile {

// A folder of include/cudalab: installed beside the program, or in the sources it was built from; empty if
// there is none.
std::filesystem::path own_headers(const char* name);

// The folder of these headers: installed beside the program, or in the sources it was built from; empty if
// there is none.
std::filesystem::path course_headers();

// The folders in which a compiler finds these headers, also as `../common/book.h`.
std::vector<std::filesystem::path> course_header_folders();

// The headers that `request.source` includes, that no folder of the request has, and that course_headers()
// has.
std::vector<std::string> provided_headers(const CompileRequest& request);

// The header that `--compat texture-references` includes before a program. Throws Error(kUnavailable) if it
// is not installed.
std::filesystem::path texture_references_header();

}  // namespace cudalab::compile
