// Compiles the kernels of a whole .cu file, whatever host code stands around them.
#pragma once

#include "compile/compiler.h"
#include "compile/sources/host_code.h"

namespace cudalab::compile {

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
