// Compiles sources of strangers with clang.
#pragma once

#include "compile/clang/clang.h"

namespace cudalab::compile {

// Does what compile_with_clang() does, in the sandbox: clang sees the system, our headers and the source, but
// no other file. Nothing is cached. Throws Error(kUnavailable) if there is no sandbox.
CompiledSource compile_untrusted_with_clang(const CompileRequest& request, const FoundClang& clang);

}  // namespace cudalab::compile
