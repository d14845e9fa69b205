// Explains a failed compilation to a beginner: the cause first, then the compiler's errors with advice and
// their source lines.
#pragma once

#include <string>
#include <string_view>

#include "compile/compiler.h"

namespace cudalab::compile {

// The error of compiling `source`, explained. A slip visible in the source (`<<<>>>` lost in a web page, a
// misspelled qualifier, a missing brace) comes first, because the compiler's errors are its consequences;
// else the compiler's first error comes first. The diagnosis contains the errors that follow, with advice on
// typical ones.
CompileError explained(const CompileError& error, std::string_view source, const std::string& file_name);

}  // namespace cudalab::compile
