// CUDA C++ for clang: what nvcc and NVRTC declare in every source. Read before each source that is compiled with
// --compiler clang (src/compile/clang/), and by sources that include it themselves.
#pragma once

#include <stddef.h>

#if !defined(__CUDA__)

// A file without device code: the host's part of the runtime API.
#include "cuda_runtime_api.h"
#ifdef __cplusplus
#include "vector_functions.h"
#include "detail/host_functions.h"
#endif

#else

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
#include "detail/surfaces.h"
#include "detail/device_runtime.h"

// The host's: in the order that clang's own wrapper of <new> needs.
#include <stdlib.h>
#include <string.h>
#include <math.h>
#include <initializer_list>
#include <new>
#include <utility>

#include "detail/host_functions.h"

// Products and quotients of std::complex, as clang defines them for devices.
#include <__clang_cuda_complex_builtins.h>

#endif
