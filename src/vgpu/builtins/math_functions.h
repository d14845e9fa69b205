// The mathematics that clang's PTX calls (include/cudalab/cuda/detail/math_functions.h): __nv_sin, __nv_sinf,
// …
#pragma once

#include <span>

#include "vgpu/builtins/builtins.h"

namespace cudalab::vgpu {

// Functions of double are computed by the host's library, those of float in double and rounded: their errors
// are at most those that the CUDA C++ Programming Guide lists ("Mathematical Functions", standard functions).
std::span<const Builtin> math_builtins();

}  // namespace cudalab::vgpu
