// make_char1 … make_double4: vectors from their elements.
#pragma once

#include "vector_types.h"

#define CUDALAB_MAKE(prefix, element)                                                                      \
  CUDALAB_HOST_DEVICE inline prefix##1 make_##prefix##1(element x) { return prefix##1 {x}; }               \
  CUDALAB_HOST_DEVICE inline prefix##2 make_##prefix##2(element x, element y) { return prefix##2 {x, y}; } \
  CUDALAB_HOST_DEVICE inline prefix##3 make_##prefix##3(element x, element y, element z) {                 \
    return prefix##3 {x, y, z};                                                                            \
  }                                                                                                        \
  CUDALAB_HOST_DEVICE inline prefix##4 make_##prefix##4(element x, element y, element z, element w) {      \
    return prefix##4 {x, y, z, w};                                                                         \
  }

CUDALAB_MAKE(char, signed char)
CUDALAB_MAKE(uchar, unsigned char)
CUDALAB_MAKE(short, short)
CUDALAB_MAKE(ushort, unsigned short)
CUDALAB_MAKE(int, int)
CUDALAB_MAKE(uint, unsigned int)
CUDALAB_MAKE(long, long)
CUDALAB_MAKE(ulong, unsigned long)
CUDALAB_MAKE(longlong, long long)
CUDALAB_MAKE(ulonglong, unsigned long long)
CUDALAB_MAKE(float, float)
CUDALAB_MAKE(double, double)
#undef CUDALAB_MAKE

#define CUDALAB_MAKE_ALIGNED(type, element)                                                 \
  CUDALAB_HOST_DEVICE inline type make_##type(element x, element y, element z, element w) { \
    return type{x, y, z, w};                                                                \
  }
CUDALAB_MAKE_ALIGNED(long4_16a, long)
CUDALAB_MAKE_ALIGNED(long4_32a, long)
CUDALAB_MAKE_ALIGNED(ulong4_16a, unsigned long)
CUDALAB_MAKE_ALIGNED(ulong4_32a, unsigned long)
CUDALAB_MAKE_ALIGNED(longlong4_16a, long long)
CUDALAB_MAKE_ALIGNED(longlong4_32a, long long)
CUDALAB_MAKE_ALIGNED(ulonglong4_16a, unsigned long long)
CUDALAB_MAKE_ALIGNED(ulonglong4_32a, unsigned long long)
CUDALAB_MAKE_ALIGNED(double4_16a, double)
CUDALAB_MAKE_ALIGNED(double4_32a, double)
#undef CUDALAB_MAKE_ALIGNED
