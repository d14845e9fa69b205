// PTX that came with the program: compiled where the package was made, for machines that have no compiler.
#pragma once

#include <filesystem>
#include <optional>

#include "compile/compiler.h"

namespace cudalab::compile {

// One file a kernel, an entry as those of compile/compile_cache.h, in $CUDALAB_PTX, else in
// ../share/cudalab/ptx beside an installed program. Its key is made of the source and all that it is compiled
// with, and of no path: what differs in a byte is not there. Nobody writes there but who makes a package.
std::optional<CompiledSource> find_shipped(const CompileRequest& request);

// Puts it there for others, where $CUDALAB_KEEP_PTX names a folder. Throws Error(kUsage) where that cannot be
// written.
void keep_for_shipping(const CompileRequest& request, const CompiledSource& compiled);

// Whether any came with this program.
bool has_shipped_kernels();

}  // namespace cudalab::compile
