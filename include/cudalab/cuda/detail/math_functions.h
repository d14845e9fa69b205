// The mathematics of CUDA C++. What one or a few instructions compute is made here; all else are the functions
// __nv_NAME (double) and __nv_NAMEf (float), which the virtual GPU implements (src/vgpu/builtins/math_functions.cpp).
#pragma once

#include "float_intrinsics.h"
#include "integer_intrinsics.h"

// Overloads of float and of whole numbers for a function that has a NAMEf.
#define CUDALAB_OVERLOAD1(name)                                                              \
  CUDALAB_DEVICE float name(float x) { return name##f(x); }                                  \
  CUDALAB_WHOLE(T) name(T x) { return name((double)x); }
#define CUDALAB_OVERLOAD2(name)                                                              \
  CUDALAB_DEVICE float name(float x, float y) { return name##f(x, y); }                      \
  CUDALAB_MIXED(T, U) name(T x, U y) { return name((double)x, (double)y); }

// Templates that take part for whole numbers, and for two numbers of different types, as those of <cmath>.
template <bool holds, class T>
struct cudalab_if {};
template <class T>
struct cudalab_if<true, T> {
  typedef T type;
};
template <class T>
struct cudalab_number {
  static constexpr bool is_whole = false, is_real = false;
};
#define CUDALAB_NUMBER(T, whole)                                    \
  template <>                                                       \
  struct cudalab_number<T> {                                        \
    static constexpr bool is_whole = whole, is_real = true;         \
  };
CUDALAB_NUMBER(bool, true)
CUDALAB_NUMBER(char, true)
CUDALAB_NUMBER(signed char, true)
CUDALAB_NUMBER(unsigned char, true)
CUDALAB_NUMBER(short, true)
CUDALAB_NUMBER(unsigned short, true)
CUDALAB_NUMBER(int, true)
CUDALAB_NUMBER(unsigned, true)
CUDALAB_NUMBER(long, true)
CUDALAB_NUMBER(unsigned long, true)
CUDALAB_NUMBER(long long, true)
CUDALAB_NUMBER(unsigned long long, true)
CUDALAB_NUMBER(float, false)
CUDALAB_NUMBER(double, false)
#undef CUDALAB_NUMBER
template <class T, class U>
struct cudalab_same {
  static constexpr bool value = false;
};
template <class T>
struct cudalab_same<T, T> {
  static constexpr bool value = true;
};
#define CUDALAB_WHOLE(T) \
  template <class T>     \
  CUDALAB_TEMPLATE typename cudalab_if<cudalab_number<T>::is_whole, double>::type
#define CUDALAB_MIXED(T, U)                                                                                  \
  template <class T, class U>                                                                                \
  CUDALAB_TEMPLATE typename cudalab_if<cudalab_number<T>::is_real && cudalab_number<U>::is_real &&           \
                                           (!cudalab_same<T, U>::value || cudalab_number<T>::is_whole),      \
                                       double>::type

// ---- single instructions -----------------------------------------------------------------------------
#define CUDALAB_BUILTIN1(name)                                                      \
  CUDALAB_DEVICE float name##f(float x) { return __builtin_##name##f(x); }          \
  CUDALAB_DEVICE double name(double x) { return __builtin_##name(x); }              \
  CUDALAB_OVERLOAD1(name)
#define CUDALAB_BUILTIN2(name)                                                                 \
  CUDALAB_DEVICE float name##f(float x, float y) { return __builtin_##name##f(x, y); }         \
  CUDALAB_DEVICE double name(double x, double y) { return __builtin_##name(x, y); }            \
  CUDALAB_OVERLOAD2(name)
CUDALAB_BUILTIN1(fabs)
CUDALAB_BUILTIN1(floor)
CUDALAB_BUILTIN1(ceil)
CUDALAB_BUILTIN1(trunc)
CUDALAB_BUILTIN1(rint)
CUDALAB_BUILTIN1(nearbyint)
CUDALAB_BUILTIN2(fmin)
CUDALAB_BUILTIN2(fmax)
CUDALAB_BUILTIN2(copysign)
#undef CUDALAB_BUILTIN1
#undef CUDALAB_BUILTIN2

CUDALAB_DEVICE float fmaf(float x, float y, float z) { return __builtin_fmaf(x, y, z); }
CUDALAB_DEVICE double fma(double x, double y, double z) { return __builtin_fma(x, y, z); }
CUDALAB_DEVICE float fma(float x, float y, float z) { return __builtin_fmaf(x, y, z); }
CUDALAB_DEVICE float fdividef(float x, float y) { return x / y; }
#if defined(__CUDALAB_FAST_MATH__) || defined(__CUDALAB_APPROXIMATE_ROOTS__)
CUDALAB_DEVICE float sqrtf(float x) { return cudalab_sqrt_approx(x); }
#else
CUDALAB_DEVICE float sqrtf(float x) { return __fsqrt_rn(x); }
#endif
CUDALAB_DEVICE double sqrt(double x) { return __dsqrt_rn(x); }
CUDALAB_OVERLOAD1(sqrt)
CUDALAB_DEVICE float rsqrtf(float x) { return cudalab_rsqrt_approx(x); }
CUDALAB_DEVICE float rsqrt(float x) { return rsqrtf(x); }

CUDALAB_DEVICE float abs(float x) { return fabsf(x); }
CUDALAB_DEVICE double abs(double x) { return fabs(x); }
#define CUDALAB_ORDER(type, a_type, b_type, suffix)                                             \
  CUDALAB_DEVICE type min(a_type a, b_type b) { return fmin##suffix((type)a, (type)b); }        \
  CUDALAB_DEVICE type max(a_type a, b_type b) { return fmax##suffix((type)a, (type)b); }
CUDALAB_ORDER(float, float, float, f)
CUDALAB_ORDER(double, double, double, )
CUDALAB_ORDER(double, float, double, )
CUDALAB_ORDER(double, double, float, )
#undef CUDALAB_ORDER

// ---- classes of numbers ------------------------------------------------------------------------------
#define CUDALAB_CLASS(name)                                                                       \
  CUDALAB_DEVICE bool name(float x) { return __builtin_##name(x); }                               \
  CUDALAB_DEVICE bool name(double x) { return __builtin_##name(x); }
#ifndef isnan
CUDALAB_CLASS(isnan)
CUDALAB_CLASS(isinf)
CUDALAB_CLASS(isfinite)
#endif
#undef CUDALAB_CLASS
#ifndef signbit
CUDALAB_DEVICE bool signbit(float x) { return __float_as_int(x) < 0; }
CUDALAB_DEVICE bool signbit(double x) { return __double_as_longlong(x) < 0; }
#endif
CUDALAB_DEVICE int __isnanf(float x) { return __builtin_isnan(x); }
CUDALAB_DEVICE int __isnan(double x) { return __builtin_isnan(x); }
CUDALAB_DEVICE int __isinff(float x) { return __builtin_isinf(x); }
CUDALAB_DEVICE int __isinf(double x) { return __builtin_isinf(x); }
CUDALAB_DEVICE int __finitef(float x) { return __builtin_isfinite(x); }
CUDALAB_DEVICE int __finite(double x) { return __builtin_isfinite(x); }
CUDALAB_DEVICE int __signbitf(float x) { return signbit(x); }
CUDALAB_DEVICE int __signbitd(double x) { return signbit(x); }
CUDALAB_DEVICE float nanf(const char*) { return __builtin_nanf(""); }
CUDALAB_DEVICE double nan(const char*) { return __builtin_nan(""); }

// ---- functions of the virtual GPU --------------------------------------------------------------------
#define CUDALAB_MATH1(name)                                                       \
  CUDALAB_EXTERNAL __attribute__((const)) float __nv_##name##f(float x);          \
  CUDALAB_EXTERNAL __attribute__((const)) double __nv_##name(double x);           \
  CUDALAB_DEVICE double name(double x) { return __nv_##name(x); }
// With the option -use_fast_math these are the approximations.
#ifdef __CUDALAB_FAST_MATH__
#define CUDALAB_FAST1(name) \
  CUDALAB_DEVICE float name##f(float x) { return __##name##f(x); }
#else
#define CUDALAB_FAST1(name) \
  CUDALAB_DEVICE float name##f(float x) { return __nv_##name##f(x); }
#endif
#define CUDALAB_EXACT1(name) \
  CUDALAB_DEVICE float name##f(float x) { return __nv_##name##f(x); }
// name: declared, exact or fast, and overloaded.
#define CUDALAB_FUNCTION1(name) CUDALAB_MATH1(name) CUDALAB_EXACT1(name) CUDALAB_OVERLOAD1(name)
#define CUDALAB_FUNCTION1_FAST(name) CUDALAB_MATH1(name) CUDALAB_FAST1(name) CUDALAB_OVERLOAD1(name)
#define CUDALAB_FUNCTION2(name)                                                                 \
  CUDALAB_EXTERNAL __attribute__((const)) float __nv_##name##f(float x, float y);               \
  CUDALAB_EXTERNAL __attribute__((const)) double __nv_##name(double x, double y);               \
  CUDALAB_DEVICE double name(double x, double y) { return __nv_##name(x, y); }                  \
  CUDALAB_DEVICE float name##f(float x, float y) { return __nv_##name##f(x, y); }               \
  CUDALAB_OVERLOAD2(name)

CUDALAB_FUNCTION1_FAST(sin)
CUDALAB_FUNCTION1_FAST(cos)
CUDALAB_FUNCTION1_FAST(tan)
CUDALAB_FUNCTION1_FAST(exp)
CUDALAB_FUNCTION1_FAST(exp2)
CUDALAB_FUNCTION1_FAST(exp10)
CUDALAB_FUNCTION1_FAST(log)
CUDALAB_FUNCTION1_FAST(log2)
CUDALAB_FUNCTION1_FAST(log10)
CUDALAB_FUNCTION1_FAST(tanh)
CUDALAB_FUNCTION1(asin)
CUDALAB_FUNCTION1(acos)
CUDALAB_FUNCTION1(atan)
CUDALAB_FUNCTION1(sinh)
CUDALAB_FUNCTION1(cosh)
CUDALAB_FUNCTION1(asinh)
CUDALAB_FUNCTION1(acosh)
CUDALAB_FUNCTION1(atanh)
CUDALAB_FUNCTION1(sinpi)
CUDALAB_FUNCTION1(cospi)
CUDALAB_FUNCTION1(expm1)
CUDALAB_FUNCTION1(log1p)
CUDALAB_FUNCTION1(cbrt)
CUDALAB_FUNCTION1(rcbrt)
CUDALAB_FUNCTION1(erf)
CUDALAB_FUNCTION1(erfc)
CUDALAB_FUNCTION1(erfinv)
CUDALAB_FUNCTION1(erfcinv)
CUDALAB_FUNCTION1(erfcx)
CUDALAB_FUNCTION1(normcdf)
CUDALAB_FUNCTION1(normcdfinv)
CUDALAB_FUNCTION1(lgamma)
CUDALAB_FUNCTION1(tgamma)
CUDALAB_FUNCTION1(j0)
CUDALAB_FUNCTION1(j1)
CUDALAB_FUNCTION1(y0)
CUDALAB_FUNCTION1(y1)
CUDALAB_FUNCTION1(cyl_bessel_i0)
CUDALAB_FUNCTION1(cyl_bessel_i1)
CUDALAB_FUNCTION1(logb)
CUDALAB_FUNCTION1(round)
CUDALAB_FUNCTION2(atan2)
CUDALAB_FUNCTION2(hypot)
CUDALAB_FUNCTION2(rhypot)
CUDALAB_FUNCTION2(fmod)
CUDALAB_FUNCTION2(remainder)
CUDALAB_FUNCTION2(nextafter)
CUDALAB_FUNCTION2(fdim)

CUDALAB_EXTERNAL __attribute__((const)) double __nv_rsqrt(double x);
CUDALAB_DEVICE double rsqrt(double x) { return __nv_rsqrt(x); }

CUDALAB_EXTERNAL __attribute__((const)) float __nv_powf(float x, float y);
CUDALAB_EXTERNAL __attribute__((const)) double __nv_pow(double x, double y);
CUDALAB_DEVICE double pow(double x, double y) { return __nv_pow(x, y); }
#ifdef __CUDALAB_FAST_MATH__
CUDALAB_DEVICE float powf(float x, float y) { return __powf(x, y); }
#else
CUDALAB_DEVICE float powf(float x, float y) { return __nv_powf(x, y); }
#endif
CUDALAB_DEVICE float pow(float x, int y) { return powf(x, (float)y); }
CUDALAB_DEVICE double pow(double x, int y) { return pow(x, (double)y); }
CUDALAB_DEVICE float pow(float x, float y) { return powf(x, y); }
CUDALAB_MIXED(T, U) pow(T x, U y) { return pow((double)x, (double)y); }

#define CUDALAB_OF_ORDER(name)                                                                 \
  CUDALAB_EXTERNAL __attribute__((const)) float __nv_##name##f(int n, float x);                \
  CUDALAB_EXTERNAL __attribute__((const)) double __nv_##name(int n, double x);                 \
  CUDALAB_DEVICE float name##f(int n, float x) { return __nv_##name##f(n, x); }                \
  CUDALAB_DEVICE double name(int n, double x) { return __nv_##name(n, x); }
CUDALAB_OF_ORDER(jn)
CUDALAB_OF_ORDER(yn)
#undef CUDALAB_OF_ORDER

#define CUDALAB_SCALED(name)                                                                   \
  CUDALAB_DEVICE float name##f(float x, int n) { return __nv_ldexpf(x, n); }                   \
  CUDALAB_DEVICE double name(double x, int n) { return __nv_ldexp(x, n); }                     \
  CUDALAB_DEVICE float name(float x, int n) { return __nv_ldexpf(x, n); }
CUDALAB_EXTERNAL __attribute__((const)) float __nv_ldexpf(float x, int n);
CUDALAB_EXTERNAL __attribute__((const)) double __nv_ldexp(double x, int n);
CUDALAB_SCALED(ldexp)
CUDALAB_SCALED(scalbn)
#undef CUDALAB_SCALED

// Roundings to whole numbers, and the exponent.
#define CUDALAB_TO_WHOLE(name, type, function)                                                 \
  CUDALAB_DEVICE type name##f(float x) { return (type)function##f(x); }                        \
  CUDALAB_DEVICE type name(double x) { return (type)function(x); }                             \
  CUDALAB_DEVICE type name(float x) { return (type)function##f(x); }
CUDALAB_TO_WHOLE(lrint, long, rint)
CUDALAB_TO_WHOLE(llrint, long long, rint)
CUDALAB_TO_WHOLE(lround, long, round)
CUDALAB_TO_WHOLE(llround, long long, round)
#undef CUDALAB_TO_WHOLE
CUDALAB_EXTERNAL __attribute__((const)) int __nv_ilogbf(float x);
CUDALAB_EXTERNAL __attribute__((const)) int __nv_ilogb(double x);
CUDALAB_DEVICE int ilogbf(float x) { return __nv_ilogbf(x); }
CUDALAB_DEVICE int ilogb(double x) { return __nv_ilogb(x); }
CUDALAB_DEVICE int ilogb(float x) { return __nv_ilogbf(x); }

// Two results.
CUDALAB_DEVICE void sincosf(float x, float* sine, float* cosine) { *sine = sinf(x), *cosine = cosf(x); }
CUDALAB_DEVICE void sincos(double x, double* sine, double* cosine) { *sine = sin(x), *cosine = cos(x); }
CUDALAB_DEVICE void sincos(float x, float* sine, float* cosine) { sincosf(x, sine, cosine); }
CUDALAB_DEVICE void sincospif(float x, float* sine, float* cosine) { *sine = sinpif(x), *cosine = cospif(x); }
CUDALAB_DEVICE void sincospi(double x, double* sine, double* cosine) { *sine = sinpi(x), *cosine = cospi(x); }
#define CUDALAB_TWO_RESULTS(type, f)                                                              \
  CUDALAB_DEVICE type modf##f(type x, type* whole) {                                              \
    *whole = trunc##f(x);                                                                         \
    return copysign##f(__builtin_isinf(x) ? (type)0 : x - *whole, x);                             \
  }                                                                                               \
  CUDALAB_DEVICE type frexp##f(type x, int* exponent) {                                           \
    *exponent = 0;                                                                                \
    if (x == 0 || !__builtin_isfinite(x)) return x;                                               \
    *exponent = ilogb##f(x) + 1;                                                                  \
    return ldexp##f(x, -*exponent);                                                               \
  }                                                                                               \
  CUDALAB_DEVICE type remquo##f(type x, type y, int* quotient) {                                  \
    const type low = fmod##f(x, 8 * y), rest = remainder##f(low, y);                              \
    *quotient = (int)rint##f((low - rest) / y);                                                   \
    return rest;                                                                                  \
  }
CUDALAB_TWO_RESULTS(float, f)
CUDALAB_TWO_RESULTS(double, )
#undef CUDALAB_TWO_RESULTS
CUDALAB_DEVICE float modf(float x, float* whole) { return modff(x, whole); }
CUDALAB_DEVICE float frexp(float x, int* exponent) { return frexpf(x, exponent); }

// Lengths of vectors of three and four components, and their reciprocals.
CUDALAB_DEVICE double norm(int count, const double* values) {
  double length = 0;
  for (int i = 0; i < count; ++i) length = hypot(length, values[i]);
  return length;
}
CUDALAB_DEVICE double rnorm(int count, const double* values) { return 1 / norm(count, values); }
CUDALAB_DEVICE float normf(int count, const float* values) {
  double length = 0;
  for (int i = 0; i < count; ++i) length = hypot(length, (double)values[i]);
  return (float)length;
}
CUDALAB_DEVICE float rnormf(int count, const float* values) { return 1 / normf(count, values); }
CUDALAB_DEVICE double norm3d(double a, double b, double c) { return hypot(hypot(a, b), c); }
CUDALAB_DEVICE double norm4d(double a, double b, double c, double d) { return hypot(hypot(a, b), hypot(c, d)); }
CUDALAB_DEVICE double rnorm3d(double a, double b, double c) { return 1 / norm3d(a, b, c); }
CUDALAB_DEVICE double rnorm4d(double a, double b, double c, double d) { return 1 / norm4d(a, b, c, d); }
CUDALAB_DEVICE float norm3df(float a, float b, float c) { return (float)norm3d(a, b, c); }
CUDALAB_DEVICE float norm4df(float a, float b, float c, float d) { return (float)norm4d(a, b, c, d); }
CUDALAB_DEVICE float rnorm3df(float a, float b, float c) { return (float)rnorm3d(a, b, c); }
CUDALAB_DEVICE float rnorm4df(float a, float b, float c, float d) { return (float)rnorm4d(a, b, c, d); }

#undef CUDALAB_FUNCTION1
#undef CUDALAB_FUNCTION1_FAST
#undef CUDALAB_FUNCTION2
#undef CUDALAB_MATH1
#undef CUDALAB_FAST1
#undef CUDALAB_EXACT1
#undef CUDALAB_WHOLE
#undef CUDALAB_MIXED
#undef CUDALAB_OVERLOAD1
#undef CUDALAB_OVERLOAD2

// Before <cmath> is read: a constexpr function of libstdc++ is one of the device as well unless one is here.
namespace std {
#define CUDALAB_USE(name) \
  using ::name;           \
  using ::name##f;
CUDALAB_USE(acos) CUDALAB_USE(acosh) CUDALAB_USE(asin) CUDALAB_USE(asinh) CUDALAB_USE(atan) CUDALAB_USE(atan2)
CUDALAB_USE(atanh) CUDALAB_USE(cbrt) CUDALAB_USE(ceil) CUDALAB_USE(copysign) CUDALAB_USE(cos) CUDALAB_USE(cosh)
CUDALAB_USE(erf) CUDALAB_USE(erfc) CUDALAB_USE(exp) CUDALAB_USE(exp2) CUDALAB_USE(expm1) CUDALAB_USE(fabs)
CUDALAB_USE(fdim) CUDALAB_USE(floor) CUDALAB_USE(fma) CUDALAB_USE(fmax) CUDALAB_USE(fmin) CUDALAB_USE(fmod)
CUDALAB_USE(frexp) CUDALAB_USE(hypot) CUDALAB_USE(ilogb) CUDALAB_USE(ldexp) CUDALAB_USE(lgamma)
CUDALAB_USE(llrint) CUDALAB_USE(llround) CUDALAB_USE(log) CUDALAB_USE(log10) CUDALAB_USE(log1p) CUDALAB_USE(log2)
CUDALAB_USE(logb) CUDALAB_USE(lrint) CUDALAB_USE(lround) CUDALAB_USE(modf) CUDALAB_USE(nearbyint)
CUDALAB_USE(nextafter) CUDALAB_USE(pow) CUDALAB_USE(remainder) CUDALAB_USE(remquo) CUDALAB_USE(rint)
CUDALAB_USE(round) CUDALAB_USE(scalbn) CUDALAB_USE(sin) CUDALAB_USE(sinh) CUDALAB_USE(sqrt) CUDALAB_USE(tan)
CUDALAB_USE(tanh) CUDALAB_USE(tgamma) CUDALAB_USE(trunc)
#undef CUDALAB_USE
using ::abs;
using ::isfinite;
using ::isinf;
using ::isnan;
using ::labs;
using ::llabs;
using ::signbit;
}  // namespace std
