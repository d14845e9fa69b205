// Complex numbers of CUDA's libraries: cuComplex (float) and cuDoubleComplex, for the host and the device.
#pragma once

#include <math.h>

#include "vector_types.h"

#if defined(__CUDA__)
#define CUDALAB_COMPLEX __host__ __device__ static inline
#else
#define CUDALAB_COMPLEX static inline
#endif

typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;

// The names of the functions for floats end in f, or have an f in their middle.
#define CUDALAB_COMPLEX_FUNCTIONS(complex, real, f, made, root)                                              \
  CUDALAB_COMPLEX complex made(real x, real y) {                                                             \
    complex z;                                                                                               \
    z.x = x;                                                                                                 \
    z.y = y;                                                                                                 \
    return z;                                                                                                \
  }                                                                                                          \
  CUDALAB_COMPLEX real cuCreal##f(complex a) { return a.x; }                                                 \
  CUDALAB_COMPLEX real cuCimag##f(complex a) { return a.y; }                                                 \
  CUDALAB_COMPLEX complex cuConj##f(complex a) { return made(a.x, -a.y); }                                   \
  CUDALAB_COMPLEX complex cuCadd##f(complex a, complex b) { return made(a.x + b.x, a.y + b.y); }             \
  CUDALAB_COMPLEX complex cuCsub##f(complex a, complex b) { return made(a.x - b.x, a.y - b.y); }             \
  CUDALAB_COMPLEX complex cuCmul##f(complex a, complex b) {                                                  \
    return made(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);                                               \
  }                                                                                                          \
  CUDALAB_COMPLEX complex cuCdiv##f(complex a, complex b) {                                                  \
    const real scale = 1 / (fabs##f(b.x) + fabs##f(b.y));                                                    \
    const real ax = a.x * scale, ay = a.y * scale, bx = b.x * scale, by = b.y * scale;                       \
    const real inverse = 1 / (bx * bx + by * by);                                                            \
    return made((ax * bx + ay * by) * inverse, (ay * bx - ax * by) * inverse);                               \
  }                                                                                                          \
  CUDALAB_COMPLEX real cuCabs##f(complex a) { return root(a.x, a.y); }                                       \
  CUDALAB_COMPLEX complex cuCfma##f(complex a, complex b, complex c) { return cuCadd##f(cuCmul##f(a, b), c); }
CUDALAB_COMPLEX_FUNCTIONS(cuFloatComplex, float, f, make_cuFloatComplex, hypotf)
CUDALAB_COMPLEX_FUNCTIONS(cuDoubleComplex, double, , make_cuDoubleComplex, hypot)
#undef CUDALAB_COMPLEX_FUNCTIONS

CUDALAB_COMPLEX cuComplex make_cuComplex(float x, float y) { return make_cuFloatComplex(x, y); }
CUDALAB_COMPLEX cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex a) {
  return make_cuDoubleComplex(a.x, a.y);
}
CUDALAB_COMPLEX cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex a) {
  return make_cuFloatComplex((float)a.x, (float)a.y);
}
#undef CUDALAB_COMPLEX
