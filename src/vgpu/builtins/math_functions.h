// The mathematical functions that clang's PTX calls (include/cudalab/cuda/detail/math_functions.h): __nv_sin,
// __nv_sinf, …
#pragma once

#include <span>

#include "vgpu/builtins/builtins.h"

namespace cudalab::vgpu {

// Functions of double are computed by the host's library; functions of float are computed in double and
// rounded. Their errors are at most those listed in the CUDA C++ Programming Guide ("Mathematical Functions",
// standard functions).
std::span<const Builtin> math_builtins();

}  // namespace cudalab::vgpu
