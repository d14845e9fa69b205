// The qualifiers of CUDA C++ as clang's attributes, and what our headers mark their own functions with.
#pragma once

#include "../vector_types.h"

#if defined(__CUDA__)

#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __forceinline__ inline __attribute__((always_inline))
#define __align__(n) __attribute__((aligned(n)))
#define __inline_hint__
// Hints to ptxas and to the driver, which the virtual GPU has no use for.
#define __grid_constant__
#define __maxnreg__(n)
// Read from the LLVM IR: src/compile/clang/cluster_dimensions.cpp.
#define __cluster_dims__(...) __attribute__((annotate("cudalab.cluster_dims", __VA_ARGS__)))
#ifdef CUDALAB_ONLY_KERNELS
#define __managed__ __attribute__((device))
#endif
#define __block_size__(...)
#define __nv_pure__
#define CUDART_CB

// Without debug information, so what is inlined counts for the line of the kernel that calls it.
#define CUDALAB_DEVICE static __attribute__((device, always_inline, nodebug, unused)) inline
#define CUDALAB_BOTH static __attribute__((host, device, always_inline, nodebug, unused)) inline
#define CUDALAB_TEMPLATE __attribute__((device, always_inline, nodebug, unused)) inline
#define CUDALAB_INLINE __attribute__((host, device, always_inline, nodebug)) inline
#define CUDALAB_MEMBER __attribute__((device, always_inline, nodebug)) inline
#define CUDALAB_STATIC_MEMBER CUDALAB_MEMBER static
#define CUDALAB_EXTERNAL extern "C" __attribute__((device, nothrow))
// A table of constants that functions of host and device read.
#ifdef __CUDA_ARCH__
#define CUDALAB_TABLE static __attribute__((constant)) const
#else
#define CUDALAB_TABLE static const
#endif

#else  // a file without device code

#define __host__
#define __device__
#define CUDART_CB
#define CUDALAB_BOTH static inline
#define CUDALAB_INLINE inline
#define CUDALAB_TABLE static const

#endif
