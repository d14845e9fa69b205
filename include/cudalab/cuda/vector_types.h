// The built-in vector types of CUDA C++ (char1 … double4) and dim3, with the sizes and alignments that the
// CUDA C++ Programming Guide lists. C++ only.
#pragma once

#if defined(__CUDA__) && defined(__clang__)
#define CUDALAB_HOST_DEVICE __attribute__((host)) __attribute__((device))
#else
#define CUDALAB_HOST_DEVICE
#endif

// Vectors of one and three elements are aligned as an element is.
#define CUDALAB_VECTORS(prefix, element, align2, align4) \
  struct prefix##1 {                                     \
    element x;                                           \
  };                                                     \
  struct alignas(align2) prefix##2 {                     \
    element x, y;                                        \
  };                                                     \
  struct prefix##3 {                                     \
    element x, y, z;                                     \
  };                                                     \
  struct alignas(align4) prefix##4 {                     \
    element x, y, z, w;                                  \
  };

CUDALAB_VECTORS(char, signed char, 2, 4)
CUDALAB_VECTORS(uchar, unsigned char, 2, 4)
CUDALAB_VECTORS(short, short, 4, 8)
CUDALAB_VECTORS(ushort, unsigned short, 4, 8)
CUDALAB_VECTORS(int, int, 8, 16)
CUDALAB_VECTORS(uint, unsigned int, 8, 16)
CUDALAB_VECTORS(long, long, 16, 16)
CUDALAB_VECTORS(ulong, unsigned long, 16, 16)
CUDALAB_VECTORS(longlong, long long, 16, 16)
CUDALAB_VECTORS(ulonglong, unsigned long long, 16, 16)
CUDALAB_VECTORS(float, float, 8, 16)
CUDALAB_VECTORS(double, double, 16, 16)
#undef CUDALAB_VECTORS

// CUDA 13 names vectors of four 8-byte elements by their alignment.
#define CUDALAB_ALIGNED_VECTORS(prefix, element) \
  struct alignas(16) prefix##4_16a {             \
    element x, y, z, w;                          \
  };                                             \
  struct alignas(32) prefix##4_32a {             \
    element x, y, z, w;                          \
  };
CUDALAB_ALIGNED_VECTORS(long, long)
CUDALAB_ALIGNED_VECTORS(ulong, unsigned long)
CUDALAB_ALIGNED_VECTORS(longlong, long long)
CUDALAB_ALIGNED_VECTORS(ulonglong, unsigned long long)
CUDALAB_ALIGNED_VECTORS(double, double)
#undef CUDALAB_ALIGNED_VECTORS

struct dim3 {
  unsigned int x, y, z;
  CUDALAB_HOST_DEVICE constexpr dim3(unsigned int width = 1, unsigned int height = 1, unsigned int depth = 1)
      : x(width), y(height), z(depth) {}
  CUDALAB_HOST_DEVICE constexpr dim3(uint3 size) : x(size.x), y(size.y), z(size.z) {}
  CUDALAB_HOST_DEVICE constexpr operator uint3() const { return uint3{x, y, z}; }
};
