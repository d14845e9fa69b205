// Compiles the kernels of a whole .cu file, whatever host code stands around them.
#pragma once

#include "compile/compiler.h"
#include "compile/host_code.h"

namespace cudalab::compile {

// compile() of what compile/host_code.h keeps of the source. An error says which part to leave out, where
// that is known. With the option -default-device, which makes device code of everything, nothing is left out.
CompiledSource compile_kernels(const CompileRequest& request);

// What the source declares and what was left out of it: headers in quotes are looked for as the compiler
// would.
DeviceCode device_code_of(const CompileRequest& request);

}  // namespace cudalab::compile
