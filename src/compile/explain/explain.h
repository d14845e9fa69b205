// Explains a failed compilation to a beginner: the cause first, then the compiler's errors with advice and
// their source lines.
#pragma once

#include <string>
#include <string_view>

#include "compile/compiler.h"

namespace cudalab::compile {

// The error of compiling `source`, explained. A slip that the source shows (`<<<>>>` swallowed by a web page,
// a misspelled qualifier, a missing brace) comes first, because compilers report its consequences. Else the
// compiler's first error does. The diagnosis holds the errors that follow, each with advice where it is a
// typical one.
CompileError explained(const CompileError& error, std::string_view source, const std::string& file_name);

}  // namespace cudalab::compile
