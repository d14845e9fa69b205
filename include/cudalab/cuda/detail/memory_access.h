// Loads and stores with hints to the caches: __ldg, __ldcg, __stcs and their like, of all types of registers and of
// the built-in vectors of 2 and 4 elements; and memory of the device heap.
#pragma once

#include "qualifiers.h"

#define CUDALAB_LOAD1(name, instruction, clobber, type, suffix, constraint, as)                           \
  CUDALAB_DEVICE type name(const type* address) {                                                         \
    as value;                                                                                             \
    asm volatile(instruction "." suffix " %0, [%1];" : "=" constraint(value) : "l"(address) : clobber);   \
    return (type)value;                                                                                   \
  }
#define CUDALAB_LOAD2(name, instruction, clobber, type, suffix, constraint, as)                           \
  CUDALAB_DEVICE type name(const type* address) {                                                         \
    as x, y;                                                                                              \
    asm volatile(instruction ".v2." suffix " {%0, %1}, [%2];"                                             \
                 : "=" constraint(x), "=" constraint(y)                                                   \
                 : "l"(address)                                                                           \
                 : clobber);                                                                              \
    type value;                                                                                           \
    value.x = (decltype(value.x))x, value.y = (decltype(value.y))y;                                       \
    return value;                                                                                         \
  }
#define CUDALAB_LOAD4(name, instruction, clobber, type, suffix, constraint, as)                           \
  CUDALAB_DEVICE type name(const type* address) {                                                         \
    as x, y, z, w;                                                                                        \
    asm volatile(instruction ".v4." suffix " {%0, %1, %2, %3}, [%4];"                                     \
                 : "=" constraint(x), "=" constraint(y), "=" constraint(z), "=" constraint(w)             \
                 : "l"(address)                                                                           \
                 : clobber);                                                                              \
    type value;                                                                                           \
    value.x = (decltype(value.x))x, value.y = (decltype(value.y))y;                                       \
    value.z = (decltype(value.z))z, value.w = (decltype(value.w))w;                                       \
    return value;                                                                                         \
  }
#define CUDALAB_STORE1(name, instruction, clobber, type, suffix, constraint, as)                            \
  CUDALAB_DEVICE void name(type* address, type value) {                                                     \
    asm volatile(instruction "." suffix " [%0], %1;" ::"l"(address), constraint((as)value) : clobber);      \
  }
#define CUDALAB_STORE2(name, instruction, clobber, type, suffix, constraint, as)                          \
  CUDALAB_DEVICE void name(type* address, type value) {                                                   \
    asm volatile(instruction ".v2." suffix " [%0], {%1, %2};" ::"l"(address), constraint((as)value.x),    \
                 constraint((as)value.y)                                                                  \
                 : clobber);                                                                              \
  }
#define CUDALAB_STORE4(name, instruction, clobber, type, suffix, constraint, as)                              \
  CUDALAB_DEVICE void name(type* address, type value) {                                                       \
    asm volatile(instruction ".v4." suffix " [%0], {%1, %2, %3, %4};" ::"l"(address),                         \
                 constraint((as)value.x), constraint((as)value.y), constraint((as)value.z),                   \
                 constraint((as)value.w)                                                                      \
                 : clobber);                                                                                  \
  }

// Each type with PTX's name of it, the constraint of its registers, and the type that such a register holds.
#define CUDALAB_FOR_ALL_TYPES(ACCESS, name, instruction, clobber)                                     \
  ACCESS##1(name, instruction, clobber, char, "s8", "h", short)                                       \
  ACCESS##1(name, instruction, clobber, signed char, "s8", "h", short)                                \
  ACCESS##1(name, instruction, clobber, unsigned char, "u8", "h", unsigned short)                     \
  ACCESS##1(name, instruction, clobber, short, "s16", "h", short)                                     \
  ACCESS##1(name, instruction, clobber, unsigned short, "u16", "h", unsigned short)                   \
  ACCESS##1(name, instruction, clobber, int, "s32", "r", int)                                         \
  ACCESS##1(name, instruction, clobber, unsigned int, "u32", "r", unsigned)                           \
  ACCESS##1(name, instruction, clobber, long, "s64", "l", long)                                       \
  ACCESS##1(name, instruction, clobber, unsigned long, "u64", "l", unsigned long)                     \
  ACCESS##1(name, instruction, clobber, long long, "s64", "l", long long)                             \
  ACCESS##1(name, instruction, clobber, unsigned long long, "u64", "l", unsigned long long)           \
  ACCESS##1(name, instruction, clobber, float, "f32", "f", float)                                     \
  ACCESS##1(name, instruction, clobber, double, "f64", "d", double)                                   \
  ACCESS##2(name, instruction, clobber, char2, "s8", "h", short)                                      \
  ACCESS##2(name, instruction, clobber, uchar2, "u8", "h", unsigned short)                            \
  ACCESS##2(name, instruction, clobber, short2, "s16", "h", short)                                    \
  ACCESS##2(name, instruction, clobber, ushort2, "u16", "h", unsigned short)                          \
  ACCESS##2(name, instruction, clobber, int2, "s32", "r", int)                                        \
  ACCESS##2(name, instruction, clobber, uint2, "u32", "r", unsigned)                                  \
  ACCESS##2(name, instruction, clobber, longlong2, "s64", "l", long long)                             \
  ACCESS##2(name, instruction, clobber, ulonglong2, "u64", "l", unsigned long long)                   \
  ACCESS##2(name, instruction, clobber, float2, "f32", "f", float)                                    \
  ACCESS##2(name, instruction, clobber, double2, "f64", "d", double)                                  \
  ACCESS##4(name, instruction, clobber, char4, "s8", "h", short)                                      \
  ACCESS##4(name, instruction, clobber, uchar4, "u8", "h", unsigned short)                            \
  ACCESS##4(name, instruction, clobber, short4, "s16", "h", short)                                    \
  ACCESS##4(name, instruction, clobber, ushort4, "u16", "h", unsigned short)                          \
  ACCESS##4(name, instruction, clobber, int4, "s32", "r", int)                                        \
  ACCESS##4(name, instruction, clobber, uint4, "u32", "r", unsigned)                                  \
  ACCESS##4(name, instruction, clobber, float4, "f32", "f", float)

CUDALAB_FOR_ALL_TYPES(CUDALAB_LOAD, __ldg, "ld.global.nc", "memory")
CUDALAB_FOR_ALL_TYPES(CUDALAB_LOAD, __ldca, "ld.global.ca", "memory")
CUDALAB_FOR_ALL_TYPES(CUDALAB_LOAD, __ldcg, "ld.global.cg", "memory")
CUDALAB_FOR_ALL_TYPES(CUDALAB_LOAD, __ldcs, "ld.global.cs", "memory")
CUDALAB_FOR_ALL_TYPES(CUDALAB_LOAD, __ldlu, "ld.global.lu", "memory")
CUDALAB_FOR_ALL_TYPES(CUDALAB_LOAD, __ldcv, "ld.global.cv", "memory")
CUDALAB_FOR_ALL_TYPES(CUDALAB_STORE, __stwb, "st.global.wb", "memory")
CUDALAB_FOR_ALL_TYPES(CUDALAB_STORE, __stcg, "st.global.cg", "memory")
CUDALAB_FOR_ALL_TYPES(CUDALAB_STORE, __stcs, "st.global.cs", "memory")
CUDALAB_FOR_ALL_TYPES(CUDALAB_STORE, __stwt, "st.global.wt", "memory")
#undef CUDALAB_FOR_ALL_TYPES
#undef CUDALAB_LOAD1
#undef CUDALAB_LOAD2
#undef CUDALAB_LOAD4
#undef CUDALAB_STORE1
#undef CUDALAB_STORE2
#undef CUDALAB_STORE4

// ---- functions of the device's run time --------------------------------------------------------------
CUDALAB_EXTERNAL void* malloc(size_t bytes);
CUDALAB_EXTERNAL void free(void* memory);
CUDALAB_EXTERNAL int vprintf(const char* format, const char* arguments);
CUDALAB_EXTERNAL int printf(const char* format, ...);
CUDALAB_EXTERNAL __attribute__((noreturn)) void __assertfail(const char* message, const char* file,
                                                             unsigned line, const char* function,
                                                             size_t char_bytes);
// What <cassert> calls.
extern "C" __attribute__((device, always_inline, nodebug, noreturn)) inline void __assert_fail(
    const char* message, const char* file, unsigned line, const char* function) {
  __assertfail(message, file, line, function, sizeof(char));
}

CUDALAB_EXTERNAL void* memcpy(void* to, const void* from, size_t bytes);
CUDALAB_EXTERNAL void* memset(void* to, int value, size_t bytes);
