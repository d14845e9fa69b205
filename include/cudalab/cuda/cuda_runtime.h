// CUDA C++ for clang: what nvcc and NVRTC declare in every source. Read before each source that is compiled with
// --compiler clang (src/compile/clang/), and by sources that include it themselves.
#pragma once

#if !defined(__clang__) || !defined(__CUDA__)
#error "cudalab's cuda_runtime.h is for clang -x cuda; cuda_runtime_api.h is for every compiler"
#endif

#include <stddef.h>

#define __CUDACC__ 1
#define __CUDACC_VER_MAJOR__ 13
#define __CUDACC_VER_MINOR__ 0

#include "detail/qualifiers.h"
#include "vector_functions.h"
#include "detail/builtin_variables.h"
#include "detail/synchronization.h"
#include "detail/warp_functions.h"
#include "detail/atomics.h"
#include "detail/memory_access.h"
#include "detail/integer_intrinsics.h"
#include "detail/float_intrinsics.h"
#include "detail/math_functions.h"
#include "detail/textures.h"

// The host's: in the order that clang's own wrapper of <new> needs.
#include <stdlib.h>
#include <string.h>
#include <math.h>
#include <new>

#include "detail/host_functions.h"
