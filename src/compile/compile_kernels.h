// Compiles the kernels of a whole .cu file, with the user's headers, or takes PTX that was shipped with the
// program.
#pragma once

#include <filesystem>
#include <optional>

#include "compile/compiler.h"
#include "compile/sources/host_code.h"

namespace cudalab::compile {

// PTX that came with the program: compiled where the package was made, for machines that have no compiler.

// One file a kernel, an entry as those of compile/compile_cache.h, in $CUDALAB_PTX, else in
// ../share/cudalab/ptx beside an installed program. Its key is made of the source and all that it is compiled
// with, and of no path: what differs in a byte is not there. Nobody writes there but who makes a package.
std::optional<CompiledSource> find_shipped(const CompileRequest& request);

// Puts it there for others, where $CUDALAB_KEEP_PTX names a folder. Throws Error(kUsage) where that cannot be
// written.
void keep_for_shipping(const CompileRequest& request, const CompiledSource& compiled);

// Whether any came with this program.
bool has_shipped_kernels();

// Compiles the kernels of a whole .cu file, whatever host code stands around them.

// By nvcc, or by NVRTC from what compile/sources/host_code.h keeps of the source, as CompileRequest::compiler
// says. Left to itself, nvcc takes files with host code, where it is installed, and those whose headers NVRTC
// cannot read; NVRTC what nvcc refuses (a header of the host's that is not there), and everything else,
// because it is several times as fast. Where both refuse, the error is nvcc's.
//
// An error of NVRTC says which part to leave out, where that is known. With the option -default-device, which
// makes device code of everything and which only NVRTC has, nothing is left out.
CompiledSource compile_kernels(const CompileRequest& request);

// What the source declares and what was left out of it: headers in quotes are looked for as the compiler
// would.
DeviceCode device_code_of(const CompileRequest& request);

}  // namespace cudalab::compile
