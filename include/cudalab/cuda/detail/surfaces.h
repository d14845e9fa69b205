// Reads and writes of surface objects. The first coordinate counts bytes.
#pragma once

#include "../driver_types.h"
#include "qualifiers.h"

// An instruction for each size of an element, and each mode. `place` is how PTX writes the coordinates: from operand %1
// on in a store, whose value is behind them.
#define CUDALAB_SURFACE_WORD(name, geometry, bits, type, constraint, mode, place, parameters, ...)         \
  CUDALAB_DEVICE void name##_read_##mode(type& value, cudaSurfaceObject_t object, parameters) {                  \
    asm volatile("suld.b." geometry ".b" bits "." #mode " %0, [%1, " place "];" : "=" constraint(value)          \
                 : "l"(object), __VA_ARGS__ : "memory");                                                         \
  }                                                                                                              \
  CUDALAB_DEVICE void name##_write_##mode(type value, cudaSurfaceObject_t object, parameters) {                  \
    asm volatile("sust.b." geometry ".b" bits "." #mode " [%1, " place "], %0;" ::constraint(value),             \
                 "l"(object), __VA_ARGS__ : "memory");                                                           \
  }
#define CUDALAB_SURFACE_MODES(name, geometry, bits, type, constraint, place, parameters, ...)              \
  CUDALAB_SURFACE_WORD(name, geometry, bits, type, constraint, zero, place,                                \
                       CUDALAB_LIST parameters, __VA_ARGS__)                                                     \
  CUDALAB_SURFACE_WORD(name, geometry, bits, type, constraint, clamp, place,                               \
                       CUDALAB_LIST parameters, __VA_ARGS__)                                                     \
  CUDALAB_SURFACE_WORD(name, geometry, bits, type, constraint, trap, place,                                \
                       CUDALAB_LIST parameters, __VA_ARGS__)
#define CUDALAB_LIST(...) __VA_ARGS__

// Elements of 8 and 16 bytes are accessed as vectors of 4-byte registers.
#define CUDALAB_SURFACE_VECTORS(name, geometry, mode, place2, place4, parameters, values, ...)                   \
  CUDALAB_DEVICE void name##_read_##mode(uint2& value, cudaSurfaceObject_t object, parameters) {                 \
    asm volatile("suld.b." geometry ".v2.b32." #mode " {%0, %1}, [%2, " place2 "];"                              \
                 : "=r"(value.x), "=r"(value.y) : "l"(object), __VA_ARGS__ : "memory");                          \
  }                                                                                                              \
  CUDALAB_DEVICE void name##_write_##mode(uint2 value, cudaSurfaceObject_t object, parameters) {                 \
    asm volatile("sust.b." geometry ".v2.b32." #mode " [%2, " place2 "], {%0, %1};" ::"r"(value.x),              \
                 "r"(value.y), "l"(object), __VA_ARGS__ : "memory");                                             \
  }                                                                                                              \
  CUDALAB_DEVICE void name##_read_##mode(uint4& value, cudaSurfaceObject_t object, parameters) {                 \
    asm volatile("suld.b." geometry ".v4.b32." #mode " {%0, %1, %2, %3}, [%4, " place4 "];"                      \
                 : "=r"(value.x), "=r"(value.y), "=r"(value.z), "=r"(value.w) : "l"(object), __VA_ARGS__         \
                 : "memory");                                                                                    \
  }                                                                                                              \
  CUDALAB_DEVICE void name##_write_##mode(uint4 value, cudaSurfaceObject_t object, parameters) {                 \
    asm volatile("sust.b." geometry ".v4.b32." #mode " [%4, " place4 "], {%0, %1, %2, %3};" ::"r"(value.x),      \
                 "r"(value.y), "r"(value.z), "r"(value.w), "l"(object), __VA_ARGS__ : "memory");                 \
  }

template <unsigned Bytes>
struct cudalab_surface_register;
template <>
struct cudalab_surface_register<1> {
  typedef unsigned char type;
};
template <>
struct cudalab_surface_register<2> {
  typedef unsigned short type;
};
template <>
struct cudalab_surface_register<4> {
  typedef unsigned type;
};
template <>
struct cudalab_surface_register<8> {
  typedef uint2 type;
};
template <>
struct cudalab_surface_register<16> {
  typedef uint4 type;
};

// Functions of one shape: NAMEread and NAMEwrite for elements of 1, 2, 4, 8 and 16 bytes.
#define CUDALAB_SURFACE(name, geometry, place1, place2, place4, parameters, values, ...)                         \
  CUDALAB_SURFACE_MODES(cudalab_##name, geometry, "32", unsigned, "r", place1, parameters, __VA_ARGS__)       \
  CUDALAB_SURFACE_MODES(cudalab_##name, geometry, "16", unsigned short, "h", place1, parameters, __VA_ARGS__) \
  CUDALAB_SURFACE_VECTORS(cudalab_##name, geometry, zero, place2, place4, CUDALAB_LIST parameters, values,       \
                          __VA_ARGS__)                                                                           \
  CUDALAB_SURFACE_VECTORS(cudalab_##name, geometry, clamp, place2, place4, CUDALAB_LIST parameters, values,      \
                          __VA_ARGS__)                                                                           \
  CUDALAB_SURFACE_VECTORS(cudalab_##name, geometry, trap, place2, place4, CUDALAB_LIST parameters, values,       \
                          __VA_ARGS__)                                                                           \
  CUDALAB_SURFACE_BYTES(cudalab_##name, geometry, zero, place1, CUDALAB_LIST parameters, __VA_ARGS__)            \
  CUDALAB_SURFACE_BYTES(cudalab_##name, geometry, clamp, place1, CUDALAB_LIST parameters, __VA_ARGS__)           \
  CUDALAB_SURFACE_BYTES(cudalab_##name, geometry, trap, place1, CUDALAB_LIST parameters, __VA_ARGS__)            \
  template <class T>                                                                                             \
  CUDALAB_TEMPLATE void name##write(T element, cudaSurfaceObject_t object, CUDALAB_LIST parameters,              \
                                    cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {                       \
    const auto value = __builtin_bit_cast(typename cudalab_surface_register<sizeof(T)>::type, element);          \
    if (mode == cudaBoundaryModeZero)                                                                            \
      cudalab_##name##_write_zero(value, object, CUDALAB_LIST values);                                           \
    else if (mode == cudaBoundaryModeClamp)                                                                      \
      cudalab_##name##_write_clamp(value, object, CUDALAB_LIST values);                                          \
    else                                                                                                         \
      cudalab_##name##_write_trap(value, object, CUDALAB_LIST values);                                           \
  }                                                                                                              \
  template <class T>                                                                                             \
  CUDALAB_TEMPLATE T name##read(cudaSurfaceObject_t object, CUDALAB_LIST parameters,                             \
                                cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {                           \
    typename cudalab_surface_register<sizeof(T)>::type value;                                                    \
    if (mode == cudaBoundaryModeZero)                                                                            \
      cudalab_##name##_read_zero(value, object, CUDALAB_LIST values);                                            \
    else if (mode == cudaBoundaryModeClamp)                                                                      \
      cudalab_##name##_read_clamp(value, object, CUDALAB_LIST values);                                           \
    else                                                                                                         \
      cudalab_##name##_read_trap(value, object, CUDALAB_LIST values);                                            \
    return __builtin_bit_cast(T, value);                                                                         \
  }                                                                                                              \
  template <class T>                                                                                             \
  CUDALAB_TEMPLATE void name##read(T* element, cudaSurfaceObject_t object, CUDALAB_LIST parameters,              \
                                   cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {                        \
    *element = name##read<T>(object, CUDALAB_LIST values, mode);                                                 \
  }
// PTX has no register of 8 bits: a byte is moved in one of 16.
#define CUDALAB_SURFACE_BYTES(name, geometry, mode, place, parameters, ...)                                      \
  CUDALAB_DEVICE void name##_read_##mode(unsigned char& value, cudaSurfaceObject_t object, parameters) {         \
    unsigned short wide;                                                                                         \
    asm volatile("suld.b." geometry ".b8." #mode " %0, [%1, " place "];" : "=h"(wide)                            \
                 : "l"(object), __VA_ARGS__ : "memory");                                                         \
    value = (unsigned char)wide;                                                                                 \
  }                                                                                                              \
  CUDALAB_DEVICE void name##_write_##mode(unsigned char value, cudaSurfaceObject_t object, parameters) {         \
    asm volatile("sust.b." geometry ".b8." #mode " [%1, " place "], %0;" ::"h"((unsigned short)value),           \
                 "l"(object), __VA_ARGS__ : "memory");                                                           \
  }

CUDALAB_SURFACE(surf1D, "1d", "{%2}", "{%3}", "{%5}", (int x), (x), "r"(x))
CUDALAB_SURFACE(surf2D, "2d", "{%2, %3}", "{%3, %4}", "{%5, %6}", (int x, int y), (x, y), "r"(x), "r"(y))
CUDALAB_SURFACE(surf3D, "3d", "{%2, %3, %4, %4}", "{%3, %4, %5, %5}", "{%5, %6, %7, %7}", (int x, int y, int z),
                (x, y, z), "r"(x), "r"(y), "r"(z))
CUDALAB_SURFACE(surf1DLayered, "a1d", "{%2, %3}", "{%3, %4}", "{%5, %6}", (int x, int layer), (x, layer),
                "r"(layer), "r"(x))
CUDALAB_SURFACE(surf2DLayered, "a2d", "{%2, %3, %4, %4}", "{%3, %4, %5, %5}", "{%5, %6, %7, %7}",
                (int x, int y, int layer), (x, y, layer), "r"(layer), "r"(x), "r"(y))
// The faces of a cube map are layers, and so are the faces of all cubes of an array.
CUDALAB_SURFACE(surfCubemap, "a2d", "{%2, %3, %4, %4}", "{%3, %4, %5, %5}", "{%5, %6, %7, %7}",
                (int x, int y, int face), (x, y, face), "r"(face), "r"(x), "r"(y))
CUDALAB_SURFACE(surfCubemapLayered, "a2d", "{%2, %3, %4, %4}", "{%3, %4, %5, %5}", "{%5, %6, %7, %7}",
                (int x, int y, int face), (x, y, face), "r"(face), "r"(x), "r"(y))
#undef CUDALAB_SURFACE
#undef CUDALAB_SURFACE_BYTES
#undef CUDALAB_SURFACE_VECTORS
#undef CUDALAB_SURFACE_MODES
#undef CUDALAB_SURFACE_WORD
#undef CUDALAB_LIST
