// Floating-point intrinsics: arithmetic with a rounding mode, approximations of the special function unit, and
// conversions.
#pragma once

#include "qualifiers.h"

// With the option that nvcc calls -ftz=true, instructions on floats flush denormal numbers to zero.
#ifdef __CUDALAB_FLUSH_TO_ZERO__
#define CUDALAB_FTZ ".ftz"
#else
#define CUDALAB_FTZ ""
#endif

// ---- arithmetic with a rounding mode -----------------------------------------------------------------
#define CUDALAB_ASM1(name, instruction, type, constraint)                   \
  CUDALAB_DEVICE type name(type a) {                                        \
    type result;                                                            \
    asm(instruction " %0, %1;" : "=" constraint(result) : constraint(a));   \
    return result;                                                          \
  }
#define CUDALAB_ASM2(name, instruction, type, constraint)                                      \
  CUDALAB_DEVICE type name(type a, type b) {                                                   \
    type result;                                                                               \
    asm(instruction " %0, %1, %2;" : "=" constraint(result) : constraint(a), constraint(b));   \
    return result;                                                                             \
  }
#define CUDALAB_ASM3(name, instruction, type, constraint)               \
  CUDALAB_DEVICE type name(type a, type b, type c) {                    \
    type result;                                                        \
    asm(instruction " %0, %1, %2, %3;"                                  \
        : "=" constraint(result)                                        \
        : constraint(a), constraint(b), constraint(c));                 \
    return result;                                                      \
  }
// In PTX, rp rounds up, to plus infinity, and rm down.
#define CUDALAB_ROUNDED(name, mode)                                                          \
  CUDALAB_ASM2(__fadd_##name, "add." #mode CUDALAB_FTZ ".f32", float, "f")             \
  CUDALAB_ASM2(__fsub_##name, "sub." #mode CUDALAB_FTZ ".f32", float, "f")             \
  CUDALAB_ASM2(__fmul_##name, "mul." #mode CUDALAB_FTZ ".f32", float, "f")             \
  CUDALAB_ASM2(__fdiv_##name, "div." #mode CUDALAB_FTZ ".f32", float, "f")             \
  CUDALAB_ASM3(__fmaf_##name, "fma." #mode CUDALAB_FTZ ".f32", float, "f")             \
  CUDALAB_ASM3(__fmaf_ieee_##name, "fma." #mode ".f32", float, "f")                    \
  CUDALAB_ASM1(__frcp_##name, "rcp." #mode CUDALAB_FTZ ".f32", float, "f")             \
  CUDALAB_ASM1(__fsqrt_##name, "sqrt." #mode CUDALAB_FTZ ".f32", float, "f")           \
  CUDALAB_ASM2(__dadd_##name, "add." #mode ".f64", double, "d")                        \
  CUDALAB_ASM2(__dsub_##name, "sub." #mode ".f64", double, "d")                        \
  CUDALAB_ASM2(__dmul_##name, "mul." #mode ".f64", double, "d")                        \
  CUDALAB_ASM2(__ddiv_##name, "div." #mode ".f64", double, "d")                        \
  CUDALAB_ASM3(__fma_##name, "fma." #mode ".f64", double, "d")                         \
  CUDALAB_ASM1(__drcp_##name, "rcp." #mode ".f64", double, "d")                        \
  CUDALAB_ASM1(__dsqrt_##name, "sqrt." #mode ".f64", double, "d")
CUDALAB_ROUNDED(rn, rn)
CUDALAB_ROUNDED(rz, rz)
CUDALAB_ROUNDED(ru, rp)
CUDALAB_ROUNDED(rd, rm)
#undef CUDALAB_ROUNDED

// ---- approximations ----------------------------------------------------------------------------------
CUDALAB_ASM1(cudalab_sin_approx, "sin.approx" CUDALAB_FTZ ".f32", float, "f")
CUDALAB_ASM1(cudalab_cos_approx, "cos.approx" CUDALAB_FTZ ".f32", float, "f")
CUDALAB_ASM1(cudalab_ex2_approx, "ex2.approx" CUDALAB_FTZ ".f32", float, "f")
CUDALAB_ASM1(cudalab_lg2_approx, "lg2.approx" CUDALAB_FTZ ".f32", float, "f")
CUDALAB_ASM1(cudalab_rsqrt_approx, "rsqrt.approx" CUDALAB_FTZ ".f32", float, "f")
CUDALAB_ASM1(cudalab_rsqrt_approx, "rsqrt.approx.f64", double, "d")
CUDALAB_ASM1(cudalab_sqrt_approx, "sqrt.approx" CUDALAB_FTZ ".f32", float, "f")
CUDALAB_ASM1(cudalab_tanh_approx, "tanh.approx.f32", float, "f")
CUDALAB_ASM1(__saturatef, "cvt.sat" CUDALAB_FTZ ".f32.f32", float, "f")
CUDALAB_ASM2(__fdividef, "div.approx" CUDALAB_FTZ ".f32", float, "f")
#undef CUDALAB_ASM1
#undef CUDALAB_ASM2
#undef CUDALAB_ASM3

CUDALAB_DEVICE float __sinf(float x) { return cudalab_sin_approx(x); }
CUDALAB_DEVICE float __cosf(float x) { return cudalab_cos_approx(x); }
CUDALAB_DEVICE void __sincosf(float x, float* sine, float* cosine) { *sine = __sinf(x), *cosine = __cosf(x); }
CUDALAB_DEVICE float __tanf(float x) { return __fdividef(__sinf(x), __cosf(x)); }
CUDALAB_DEVICE float __log2f(float x) { return cudalab_lg2_approx(x); }
CUDALAB_DEVICE float __logf(float x) { return cudalab_lg2_approx(x) * 0.693147182f; }
CUDALAB_DEVICE float __log10f(float x) { return cudalab_lg2_approx(x) * 0.301029996f; }
CUDALAB_DEVICE float __exp2f(float x) { return cudalab_ex2_approx(x); }
CUDALAB_DEVICE float __expf(float x) { return cudalab_ex2_approx(x * 1.44269502f); }
CUDALAB_DEVICE float __exp10f(float x) { return cudalab_ex2_approx(x * 3.32192802f); }
CUDALAB_DEVICE float __powf(float x, float y) { return cudalab_ex2_approx(y * cudalab_lg2_approx(x)); }
CUDALAB_DEVICE float __tanhf(float x) { return cudalab_tanh_approx(x); }
CUDALAB_DEVICE float __frsqrt_rn(float x) { return (float)(1.0 / __builtin_sqrt((double)x)); }

// ---- conversions -------------------------------------------------------------------------------------
CUDALAB_BOTH int __float_as_int(float x) { return __builtin_bit_cast(int, x); }
CUDALAB_BOTH unsigned __float_as_uint(float x) { return __builtin_bit_cast(unsigned, x); }
CUDALAB_BOTH float __int_as_float(int x) { return __builtin_bit_cast(float, x); }
CUDALAB_BOTH float __uint_as_float(unsigned x) { return __builtin_bit_cast(float, x); }
CUDALAB_BOTH long long __double_as_longlong(double x) { return __builtin_bit_cast(long long, x); }
CUDALAB_BOTH double __longlong_as_double(long long x) { return __builtin_bit_cast(double, x); }
CUDALAB_DEVICE int __double2hiint(double x) { return (int)(__double_as_longlong(x) >> 32); }
CUDALAB_DEVICE int __double2loint(double x) { return (int)__double_as_longlong(x); }
CUDALAB_DEVICE double __hiloint2double(int high, int low) {
  return __longlong_as_double((long long)high << 32 | (unsigned)low);
}

#define CUDALAB_CONVERT(name, instruction, from, from_constraint, to, to_constraint)           \
  CUDALAB_DEVICE to name(from x) {                                                             \
    to result;                                                                                 \
    asm(instruction " %0, %1;" : "=" to_constraint(result) : from_constraint(x));              \
    return result;                                                                             \
  }
// PTX marks roundings to whole numbers with an i: rni.
#define CUDALAB_CONVERSIONS(name, mode)                                                                          \
  CUDALAB_CONVERT(__float2int_##name, "cvt." #mode "i" CUDALAB_FTZ ".s32.f32", float, "f", int, "r")             \
  CUDALAB_CONVERT(__float2uint_##name, "cvt." #mode "i" CUDALAB_FTZ ".u32.f32", float, "f", unsigned, "r")       \
  CUDALAB_CONVERT(__float2ll_##name, "cvt." #mode "i" CUDALAB_FTZ ".s64.f32", float, "f", long long, "l")        \
  CUDALAB_CONVERT(__float2ull_##name, "cvt." #mode "i" CUDALAB_FTZ ".u64.f32", float, "f", unsigned long long,   \
                  "l")                                                                                           \
  CUDALAB_CONVERT(__double2int_##name, "cvt." #mode "i.s32.f64", double, "d", int, "r")                          \
  CUDALAB_CONVERT(__double2uint_##name, "cvt." #mode "i.u32.f64", double, "d", unsigned, "r")                    \
  CUDALAB_CONVERT(__double2ll_##name, "cvt." #mode "i.s64.f64", double, "d", long long, "l")                     \
  CUDALAB_CONVERT(__double2ull_##name, "cvt." #mode "i.u64.f64", double, "d", unsigned long long, "l")           \
  CUDALAB_CONVERT(__int2float_##name, "cvt." #mode ".f32.s32", int, "r", float, "f")                             \
  CUDALAB_CONVERT(__uint2float_##name, "cvt." #mode ".f32.u32", unsigned, "r", float, "f")                       \
  CUDALAB_CONVERT(__ll2float_##name, "cvt." #mode ".f32.s64", long long, "l", float, "f")                        \
  CUDALAB_CONVERT(__ull2float_##name, "cvt." #mode ".f32.u64", unsigned long long, "l", float, "f")              \
  CUDALAB_CONVERT(__ll2double_##name, "cvt." #mode ".f64.s64", long long, "l", double, "d")                      \
  CUDALAB_CONVERT(__ull2double_##name, "cvt." #mode ".f64.u64", unsigned long long, "l", double, "d")            \
  CUDALAB_CONVERT(__double2float_##name, "cvt." #mode ".f32.f64", double, "d", float, "f")
CUDALAB_CONVERSIONS(rn, rn)
CUDALAB_CONVERSIONS(rz, rz)
CUDALAB_CONVERSIONS(ru, rp)
CUDALAB_CONVERSIONS(rd, rm)
#undef CUDALAB_CONVERSIONS
#undef CUDALAB_CONVERT
CUDALAB_DEVICE double __int2double_rn(int x) { return (double)x; }
CUDALAB_DEVICE double __uint2double_rn(unsigned x) { return (double)x; }
