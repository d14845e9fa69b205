// Headers for programs as textbooks print them: cudalab's own common.h or helper_cuda.h where the program's
// folder lacks it, and texture references, which CUDA 12 removed.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "compile/compiler.h"

namespace cudalab::compile {

// The folder of these headers, installed beside the program or where it was built from; empty if there is
// none.
std::filesystem::path course_headers();

// The headers which `request.source` includes, no folder of the request has, and course_headers() does.
std::vector<std::string> provided_headers(const CompileRequest& request);

// What `--compat texture-references` includes before a program. Throws Error(kUnavailable) if it is not
// installed.
std::filesystem::path texture_references_header();

}  // namespace cudalab::compile
