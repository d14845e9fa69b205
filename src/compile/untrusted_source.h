// Compiles kernels of strangers.
#pragma once

#include "compile/compiler.h"

namespace cudalab::compile {

// Does what compile_kernels() does, by NVRTC, whose process can open no file of the source's choice; where it
// is not installed or $CUDALAB_COMPILER says clang, by clang in the sandbox (clang/untrusted.h). The caller
// has checked what the source includes.
CompiledSource compile_untrusted(const CompileRequest& request);

// Whether compile_untrusted() uses clang, and thus needs the sandbox.
bool is_untrusted_by_clang();

}  // namespace cudalab::compile
