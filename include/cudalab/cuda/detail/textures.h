// Reads of texture objects.
#pragma once

#include "../driver_types.h"
#include "qualifiers.h"

// ---- texels as registers -----------------------------------------------------------------------------
// An instruction gives four 32-bit registers of one kind; a texel's type takes the first of them.
template <class Register>
struct cudalab_texel {
  Register x, y, z, w;
};
// The kind of registers that a type is read as, and the type from them.
template <class T>
struct cudalab_texel_type;
#define CUDALAB_TEXEL(prefix, element, kind)                                                                    \
  template <>                                                                                                   \
  struct cudalab_texel_type<element> {                                                                          \
    typedef kind registers;                                                                                     \
    CUDALAB_DEVICE element made(const cudalab_texel<kind>& t) { return (element)t.x; }                          \
  };                                                                                                            \
  template <>                                                                                                   \
  struct cudalab_texel_type<prefix##1> {                                                                        \
    typedef kind registers;                                                                                     \
    CUDALAB_DEVICE prefix##1 made(const cudalab_texel<kind>& t) { return prefix##1{(element)t.x}; }             \
  };                                                                                                            \
  template <>                                                                                                   \
  struct cudalab_texel_type<prefix##2> {                                                                        \
    typedef kind registers;                                                                                     \
    CUDALAB_DEVICE prefix##2 made(const cudalab_texel<kind>& t) {                                               \
      return prefix##2{(element)t.x, (element)t.y};                                                             \
    }                                                                                                           \
  };                                                                                                            \
  template <>                                                                                                   \
  struct cudalab_texel_type<prefix##4> {                                                                        \
    typedef kind registers;                                                                                     \
    CUDALAB_DEVICE prefix##4 made(const cudalab_texel<kind>& t) {                                               \
      return prefix##4{(element)t.x, (element)t.y, (element)t.z, (element)t.w};                                 \
    }                                                                                                           \
  };
CUDALAB_TEXEL(char, signed char, int)
CUDALAB_TEXEL(uchar, unsigned char, unsigned)
CUDALAB_TEXEL(short, short, int)
CUDALAB_TEXEL(ushort, unsigned short, unsigned)
CUDALAB_TEXEL(int, int, int)
CUDALAB_TEXEL(uint, unsigned int, unsigned)
CUDALAB_TEXEL(float, float, float)
#undef CUDALAB_TEXEL
template <>
struct cudalab_texel_type<char> : cudalab_texel_type<signed char> {};

// ---- reads -------------------------------------------------------------------------------------------
// One function for each kind of registers: `place` is how PTX writes the coordinates, from operand %5 on;
// `behind` is the level of a mipmap.
#define CUDALAB_FETCH_KIND(name, instruction, suffix, kind, constraint, place, behind, parameters, ...)            \
  CUDALAB_DEVICE void name(cudalab_texel<kind>& t, cudaTextureObject_t object, parameters) {               \
    asm volatile(instruction "." suffix " {%0, %1, %2, %3}, [%4, " place "]" behind ";"                              \
                 : "=" constraint(t.x), "=" constraint(t.y), "=" constraint(t.z), "=" constraint(t.w)      \
                 : "l"(object), __VA_ARGS__);                                                              \
  }
#define CUDALAB_PARAMETERS(...) __VA_ARGS__
#define CUDALAB_FETCH(function, name, instruction, coordinate, place, behind, parameters, values, ...)                  \
  CUDALAB_FETCH_KIND(name, instruction, "f32." coordinate, float, "f", place, behind, CUDALAB_PARAMETERS parameters, __VA_ARGS__)    \
  CUDALAB_FETCH_KIND(name, instruction, "s32." coordinate, int, "r", place, behind, CUDALAB_PARAMETERS parameters, __VA_ARGS__)      \
  CUDALAB_FETCH_KIND(name, instruction, "u32." coordinate, unsigned, "r", place, behind, CUDALAB_PARAMETERS parameters, __VA_ARGS__) \
  template <class T>                                                                                            \
  CUDALAB_TEMPLATE T function(cudaTextureObject_t object, CUDALAB_PARAMETERS parameters) {                      \
    cudalab_texel<typename cudalab_texel_type<T>::registers> t;                                                 \
    name(t, object, CUDALAB_PARAMETERS values);                                                                 \
    return cudalab_texel_type<T>::made(t);                                                                      \
  }
CUDALAB_FETCH(tex1Dfetch, cudalab_tex1Dfetch, "tex.1d.v4", "s32", "{%5}", "", (int x), (x), "r"(x))
CUDALAB_FETCH(tex1D, cudalab_tex1D, "tex.1d.v4", "f32", "{%5}", "", (float x), (x), "f"(x))
CUDALAB_FETCH(tex2D, cudalab_tex2D, "tex.2d.v4", "f32", "{%5, %6}", "", (float x, float y), (x, y), "f"(x), "f"(y))
CUDALAB_FETCH(tex3D, cudalab_tex3D, "tex.3d.v4", "f32", "{%5, %6, %7, %7}", "", (float x, float y, float z), (x, y, z),
              "f"(x), "f"(y), "f"(z))
CUDALAB_FETCH(tex1DLayered, cudalab_tex1DLayered, "tex.a1d.v4", "f32", "{%5, %6}", "", (float x, int layer), (x, layer),
              "r"(layer), "f"(x))
CUDALAB_FETCH(tex2DLayered, cudalab_tex2DLayered, "tex.a2d.v4", "f32", "{%5, %6, %7, %7}", "",
              (float x, float y, int layer), (x, y, layer), "r"(layer), "f"(x), "f"(y))
CUDALAB_FETCH(tex1DLod, cudalab_tex1DLod, "tex.level.1d.v4", "f32", "{%5}", ", %6", (float x, float level), (x, level),
              "f"(x), "f"(level))
CUDALAB_FETCH(tex2DLod, cudalab_tex2DLod, "tex.level.2d.v4", "f32", "{%5, %6}", ", %7", (float x, float y, float level),
              (x, y, level), "f"(x), "f"(y), "f"(level))
CUDALAB_FETCH(tex3DLod, cudalab_tex3DLod, "tex.level.3d.v4", "f32", "{%5, %6, %7, %7}", ", %8",
              (float x, float y, float z, float level), (x, y, z, level), "f"(x), "f"(y), "f"(z), "f"(level))
CUDALAB_FETCH(tex1DGrad, cudalab_tex1DGrad, "tex.grad.1d.v4", "f32", "{%5}", ", {%6}, {%7}",
              (float x, float dx, float dy), (x, dx, dy), "f"(x), "f"(dx), "f"(dy))
CUDALAB_FETCH(tex2DGrad, cudalab_tex2DGrad, "tex.grad.2d.v4", "f32", "{%5, %6}", ", {%7, %8}, {%9, %10}",
              (float x, float y, float2 dx, float2 dy), (x, y, dx, dy), "f"(x), "f"(y), "f"(dx.x), "f"(dx.y), "f"(dy.x),
              "f"(dy.y))
CUDALAB_FETCH(tex3DGrad, cudalab_tex3DGrad, "tex.grad.3d.v4", "f32", "{%5, %6, %7, %7}",
              ", {%8, %9, %10, %10}, {%11, %12, %13, %13}", (float x, float y, float z, float4 dx, float4 dy),
              (x, y, z, dx, dy), "f"(x), "f"(y), "f"(z), "f"(dx.x), "f"(dx.y), "f"(dx.z), "f"(dy.x), "f"(dy.y), "f"(dy.z))
CUDALAB_FETCH(tex1DLayeredLod, cudalab_tex1DLayeredLod, "tex.level.a1d.v4", "f32", "{%5, %6}", ", %7",
              (float x, int layer, float level), (x, layer, level), "r"(layer), "f"(x), "f"(level))
CUDALAB_FETCH(tex2DLayeredLod, cudalab_tex2DLayeredLod, "tex.level.a2d.v4", "f32", "{%5, %6, %7, %7}", ", %8",
              (float x, float y, int layer, float level), (x, y, layer, level), "r"(layer), "f"(x), "f"(y), "f"(level))
CUDALAB_FETCH(tex1DLayeredGrad, cudalab_tex1DLayeredGrad, "tex.grad.a1d.v4", "f32", "{%5, %6}", ", {%7}, {%8}",
              (float x, int layer, float dx, float dy), (x, layer, dx, dy), "r"(layer), "f"(x), "f"(dx), "f"(dy))
CUDALAB_FETCH(tex2DLayeredGrad, cudalab_tex2DLayeredGrad, "tex.grad.a2d.v4", "f32", "{%5, %6, %7, %7}",
              ", {%8, %9}, {%10, %11}", (float x, float y, int layer, float2 dx, float2 dy), (x, y, layer, dx, dy),
              "r"(layer), "f"(x), "f"(y), "f"(dx.x), "f"(dx.y), "f"(dy.x), "f"(dy.y))
CUDALAB_FETCH(texCubemap, cudalab_texCubemap, "tex.cube.v4", "f32", "{%5, %6, %7, %7}", "",
              (float x, float y, float z), (x, y, z), "f"(x), "f"(y), "f"(z))
CUDALAB_FETCH(texCubemapLayered, cudalab_texCubemapLayered, "tex.acube.v4", "f32", "{%5, %6, %7, %8}", "",
              (float x, float y, float z, int layer), (x, y, z, layer), "r"(layer), "f"(x), "f"(y), "f"(z))
CUDALAB_FETCH(texCubemapLod, cudalab_texCubemapLod, "tex.level.cube.v4", "f32", "{%5, %6, %7, %7}", ", %8",
              (float x, float y, float z, float level), (x, y, z, level), "f"(x), "f"(y), "f"(z), "f"(level))
CUDALAB_FETCH(texCubemapLayeredLod, cudalab_texCubemapLayeredLod, "tex.level.acube.v4", "f32", "{%5, %6, %7, %8}",
              ", %9", (float x, float y, float z, int layer, float level), (x, y, z, layer, level), "r"(layer), "f"(x),
              "f"(y), "f"(z), "f"(level))
// One channel of the four texels that a bilinear filter would blend.
#define CUDALAB_GATHER(channel)                                                                                    \
  CUDALAB_FETCH(cudalab_gather_##channel, cudalab_tld4_##channel, "tld4." #channel ".2d.v4", "f32", "{%5, %6}", "", \
                (float x, float y), (x, y), "f"(x), "f"(y))
CUDALAB_GATHER(r)
CUDALAB_GATHER(g)
CUDALAB_GATHER(b)
CUDALAB_GATHER(a)
#undef CUDALAB_GATHER
template <class T>
CUDALAB_TEMPLATE T tex2Dgather(cudaTextureObject_t object, float x, float y, int channel = 0) {
  switch (channel) {
    case 1: return cudalab_gather_g<T>(object, x, y);
    case 2: return cudalab_gather_b<T>(object, x, y);
    case 3: return cudalab_gather_a<T>(object, x, y);
    default: return cudalab_gather_r<T>(object, x, y);
  }
}
#undef CUDALAB_FETCH
#undef CUDALAB_FETCH_KIND
#undef CUDALAB_PARAMETERS
