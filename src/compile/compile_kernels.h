// Compiles the kernels of a whole .cu file, with the user's headers, or uses PTX that was shipped with the
// program.
#pragma once

#include <filesystem>
#include <optional>

#include "compile/compiler.h"
#include "compile/sources/host_code.h"

namespace cudalab::compile {

// PTX shipped with the program: compiled when the package was made, for machines without a compiler.

// Looks in $CUDALAB_PTX, else in ../share/cudalab/ptx beside an installed program. There is one file per
// kernel, an entry as in compile/compile_cache.h. Its key covers the source and all compile options, but no
// path; if a byte differs, there is no entry. Only packaging writes there.
std::optional<CompiledSource> find_shipped(const CompileRequest& request);

// Stores the result for shipping, if $CUDALAB_KEEP_PTX names a folder. Throws Error(kUsage) if it cannot be
// written there.
void keep_for_shipping(const CompileRequest& request, const CompiledSource& compiled);

// Whether this program was shipped with PTX.
bool has_shipped_kernels();

// Compiles the kernels of a whole .cu file, which may also contain host code.

// Uses nvcc, or NVRTC on the part of the source that compile/sources/host_code.h keeps, as
// CompileRequest::compiler says. With kAuto and nvcc installed, nvcc compiles files with host code, and files
// whose headers NVRTC cannot read. NVRTC compiles files that nvcc refuses (because a host header is missing),
// and all others, because it is several times as fast. If both refuse, nvcc's error is reported.
//
// An error of NVRTC says which part of the source to leave out, if that is known. The option -default-device,
// which only NVRTC has, makes all functions device code; then nothing is left out.
CompiledSource compile_kernels(const CompileRequest& request);

// What the source declares, and what was left out of it. Headers in quotes are searched as the compiler does.
DeviceCode device_code_of(const CompileRequest& request);

}  // namespace cudalab::compile
