// bfloat16, as the documentation of CUDA's mathematics API describes it: __nv_bfloat16, __nv_bfloat162, their
// arithmetic, comparisons, conversions, atomics and shuffles. The host computes in single precision.
#pragma once

#include "cuda_runtime.h"

// ---- the types ---------------------------------------------------------------------------------------

// Rounds to nearest, ties to even.
CUDALAB_BOTH unsigned short cudalab_bf16_bits(float value) {
#ifdef __CUDA_ARCH__
  unsigned short bits;
  asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(bits) : "f"(value));
  return bits;
#else
  const unsigned whole = __builtin_bit_cast(unsigned, value);
  if ((whole & 0x7fffffffu) > 0x7f800000u) return 0x7fff;
  return (unsigned short)((whole + 0x7fff + (whole >> 16 & 1)) >> 16);
#endif
}

struct __attribute__((aligned(2))) __nv_bfloat16 {
  unsigned short __x;
  __nv_bfloat16() = default;
  CUDALAB_INLINE __nv_bfloat16(float value) : __x(cudalab_bf16_bits(value)) {}
  // Rounded once: to single precision towards odd.
  CUDALAB_INLINE __nv_bfloat16(double value) : __x(cudalab_bf16_bits(to_odd(value))) {}
#define CUDALAB_FROM_INTEGER(type) \
  CUDALAB_INLINE __nv_bfloat16(type value) : __x(cudalab_bf16_bits(to_odd((double)value))) {}
  CUDALAB_FROM_INTEGER(short)
  CUDALAB_FROM_INTEGER(unsigned short)
  CUDALAB_FROM_INTEGER(int)
  CUDALAB_FROM_INTEGER(unsigned)
  CUDALAB_FROM_INTEGER(long)
  CUDALAB_FROM_INTEGER(unsigned long)
  CUDALAB_FROM_INTEGER(long long)
  CUDALAB_FROM_INTEGER(unsigned long long)
#undef CUDALAB_FROM_INTEGER
  CUDALAB_INLINE operator float() const { return __builtin_bit_cast(float, (unsigned)__x << 16); }
  CUDALAB_INLINE explicit operator bool() const { return (__x & 0x7fff) != 0; }

 private:
  CUDALAB_INLINE static float to_odd(double value) {
    const float near = (float)value;
    const unsigned bits = __builtin_bit_cast(unsigned, near);
    if ((double)near == value || near != near || (bits & 0x7f800000u) == 0x7f800000u) return near;
    const bool is_too_far = ((double)near > value) == (value > 0);
    return __builtin_bit_cast(float, (is_too_far ? bits - 1 : bits) | 1u);
  }
};
typedef __nv_bfloat16 nv_bfloat16;
struct __nv_bfloat16_raw {
  unsigned short x;
};
struct __attribute__((aligned(4))) __nv_bfloat162 {
  __nv_bfloat16 x, y;
};
typedef __nv_bfloat162 nv_bfloat162;

// ---- conversions -------------------------------------------------------------------------------------
CUDALAB_BOTH __nv_bfloat16 __ushort_as_bfloat16(unsigned short bits) {
  return __builtin_bit_cast(__nv_bfloat16, bits);
}
CUDALAB_BOTH __nv_bfloat16 __short_as_bfloat16(short bits) { return __builtin_bit_cast(__nv_bfloat16, bits); }
CUDALAB_BOTH unsigned short __bfloat16_as_ushort(__nv_bfloat16 a) { return a.__x; }
CUDALAB_BOTH short __bfloat16_as_short(__nv_bfloat16 a) { return (short)a.__x; }
CUDALAB_BOTH __nv_bfloat16 __float2bfloat16(float a) { return __nv_bfloat16(a); }
CUDALAB_BOTH __nv_bfloat16 __float2bfloat16_rn(float a) { return __nv_bfloat16(a); }
CUDALAB_BOTH __nv_bfloat16 __double2bfloat16(double a) { return __nv_bfloat16(a); }
CUDALAB_BOTH float __bfloat162float(__nv_bfloat16 a) { return (float)a; }
CUDALAB_BOTH __nv_bfloat16 __float2bfloat16_rz(float a) {
  const unsigned bits = __builtin_bit_cast(unsigned, a);
  return __ushort_as_bfloat16(a != a ? 0x7fff : (unsigned short)(bits >> 16));
}
CUDALAB_BOTH __nv_bfloat16 cudalab_bf16_away(float a, bool is_away) {
  const __nv_bfloat16 cut = __float2bfloat16_rz(a);
  return a != a || (float)cut == a || !is_away ? cut : __ushort_as_bfloat16((unsigned short)(cut.__x + 1));
}
CUDALAB_BOTH __nv_bfloat16 __float2bfloat16_ru(float a) { return cudalab_bf16_away(a, a > 0); }
CUDALAB_BOTH __nv_bfloat16 __float2bfloat16_rd(float a) { return cudalab_bf16_away(a, a < 0); }
#define CUDALAB_BF16_INTEGER(name, type)                                             \
  CUDALAB_BOTH __nv_bfloat16 __##name##2bfloat16_rn(type a) { return __nv_bfloat16(a); } \
  CUDALAB_BOTH type __bfloat162##name##_rz(__nv_bfloat16 a) { return (type)(float)a; }
CUDALAB_BF16_INTEGER(int, int)
CUDALAB_BF16_INTEGER(uint, unsigned)
CUDALAB_BF16_INTEGER(short, short)
CUDALAB_BF16_INTEGER(ushort, unsigned short)
CUDALAB_BF16_INTEGER(ll, long long)
CUDALAB_BF16_INTEGER(ull, unsigned long long)
#undef CUDALAB_BF16_INTEGER
CUDALAB_BOTH int __bfloat162int_rn(__nv_bfloat16 a) { return (int)__builtin_rintf((float)a); }
CUDALAB_BOTH int __bfloat162int_rd(__nv_bfloat16 a) { return (int)__builtin_floorf((float)a); }
CUDALAB_BOTH int __bfloat162int_ru(__nv_bfloat16 a) { return (int)__builtin_ceilf((float)a); }

CUDALAB_BOTH __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) { return __nv_bfloat162{a, b}; }
CUDALAB_BOTH __nv_bfloat162 make_bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) { return __nv_bfloat162{a, b}; }
CUDALAB_BOTH __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 a) { return __nv_bfloat162{a, a}; }
CUDALAB_BOTH __nv_bfloat162 __floats2bfloat162_rn(float a, float b) {
#ifdef __CUDA_ARCH__
  unsigned bits;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(bits) : "f"(b), "f"(a));
  return __builtin_bit_cast(__nv_bfloat162, bits);
#else
  return __nv_bfloat162{__nv_bfloat16(a), __nv_bfloat16(b)};
#endif
}
CUDALAB_BOTH __nv_bfloat162 __float2bfloat162_rn(float a) { return __bfloat162bfloat162(__nv_bfloat16(a)); }
CUDALAB_BOTH __nv_bfloat162 __float22bfloat162_rn(float2 a) { return __floats2bfloat162_rn(a.x, a.y); }
CUDALAB_BOTH float2 __bfloat1622float2(__nv_bfloat162 a) { return float2{(float)a.x, (float)a.y}; }
CUDALAB_BOTH float __low2float(__nv_bfloat162 a) { return (float)a.x; }
CUDALAB_BOTH float __high2float(__nv_bfloat162 a) { return (float)a.y; }
CUDALAB_BOTH __nv_bfloat16 __low2bfloat16(__nv_bfloat162 a) { return a.x; }
CUDALAB_BOTH __nv_bfloat16 __high2bfloat16(__nv_bfloat162 a) { return a.y; }
CUDALAB_BOTH __nv_bfloat162 __low2bfloat162(__nv_bfloat162 a) { return __nv_bfloat162{a.x, a.x}; }
CUDALAB_BOTH __nv_bfloat162 __high2bfloat162(__nv_bfloat162 a) { return __nv_bfloat162{a.y, a.y}; }
CUDALAB_BOTH __nv_bfloat162 __lows2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b) { return __nv_bfloat162{a.x, b.x}; }
CUDALAB_BOTH __nv_bfloat162 __highs2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b) { return __nv_bfloat162{a.y, b.y}; }
CUDALAB_BOTH __nv_bfloat162 __lowhigh2highlow(__nv_bfloat162 a) { return __nv_bfloat162{a.y, a.x}; }

// ---- arithmetic, of one and of two elements ----------------------------------------------------------
CUDALAB_BOTH unsigned cudalab_word(__nv_bfloat162 a) { return __builtin_bit_cast(unsigned, a); }
CUDALAB_BOTH __nv_bfloat162 cudalab_bf16_pair(unsigned word) { return __builtin_bit_cast(__nv_bfloat162, word); }

// Rounded once: in double precision the product is exact, and the sum is rounded to single precision towards odd.
CUDALAB_BOTH __nv_bfloat16 __hfma(__nv_bfloat16 a, __nv_bfloat16 b, __nv_bfloat16 c) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  unsigned short bits;
  asm("fma.rn.bf16 %0, %1, %2, %3;" : "=h"(bits) : "h"(a.__x), "h"(b.__x), "h"(c.__x));
  return __ushort_as_bfloat16(bits);
#else
  return __nv_bfloat16((double)(float)a * (double)(float)b + (double)(float)c);
#endif
}
CUDALAB_BOTH __nv_bfloat162 __hfma2(__nv_bfloat162 a, __nv_bfloat162 b, __nv_bfloat162 c) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  unsigned bits;
  asm("fma.rn.bf16x2 %0, %1, %2, %3;" : "=r"(bits) : "r"(cudalab_word(a)), "r"(cudalab_word(b)), "r"(cudalab_word(c)));
  return cudalab_bf16_pair(bits);
#else
  return __nv_bfloat162{__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)};
#endif
}

// Compute capability 9.0 has all instructions, 8.0 only the fused one: a + b is a * 1 + b, a - b is b * -1 + a, and
// a * b is a * b - 0. The others and the host compute in single precision.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
#define CUDALAB_BF16_RESULT(instruction, operation, a, b, first, second, third)                            \
  unsigned short bits;                                                                                     \
  asm(instruction ".bf16 %0, %1, %2;" : "=h"(bits) : "h"((a).__x), "h"((b).__x));                          \
  return __ushort_as_bfloat16(bits);
#define CUDALAB_BF16_RESULT2(instruction, operation, a, b, first, second, third)                           \
  unsigned bits;                                                                                           \
  asm(instruction ".bf16x2 %0, %1, %2;" : "=r"(bits) : "r"(cudalab_word(a)), "r"(cudalab_word(b)));        \
  return cudalab_bf16_pair(bits);
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
#define CUDALAB_BF16_RESULT(instruction, operation, a, b, first, second, third) return __hfma(cudalab_bf16(first), cudalab_bf16(second), cudalab_bf16(third));
#define CUDALAB_BF16_RESULT2(instruction, operation, a, b, first, second, third) return __hfma2(cudalab_bf162(first), cudalab_bf162(second), cudalab_bf162(third));
#else
#define CUDALAB_BF16_RESULT(instruction, operation, a, b, first, second, third) \
  return __nv_bfloat16((float)(a) operation (float)(b));
#define CUDALAB_BF16_RESULT2(instruction, operation, a, b, first, second, third) \
  return __floats2bfloat162_rn((float)(a).x operation (float)(b).x, (float)(a).y operation (float)(b).y);
#endif
// A constant of one element, and of two.
CUDALAB_BOTH __nv_bfloat16 cudalab_bf16(int bits) { return __ushort_as_bfloat16((unsigned short)bits); }
CUDALAB_BOTH __nv_bfloat162 cudalab_bf162(int bits) { return cudalab_bf16_pair((unsigned)bits * 0x10001u); }
CUDALAB_BOTH __nv_bfloat16 cudalab_bf16(__nv_bfloat16 a) { return a; }
CUDALAB_BOTH __nv_bfloat162 cudalab_bf162(__nv_bfloat162 a) { return a; }

#define CUDALAB_BF16_BINARY(name, operation, instruction, first, second, third)                                   \
  CUDALAB_BOTH __nv_bfloat16 __h##name(__nv_bfloat16 a, __nv_bfloat16 b) {                                        \
    CUDALAB_BF16_RESULT(instruction, operation, a, b, first, second, third)                                       \
  }                                                                                                               \
  CUDALAB_BOTH __nv_bfloat162 __h##name##2(__nv_bfloat162 a, __nv_bfloat162 b) {                                  \
    CUDALAB_BF16_RESULT2(instruction, operation, a, b, first, second, third)                                      \
  }                                                                                                               \
  CUDALAB_BOTH __nv_bfloat16 __h##name##_rn(__nv_bfloat16 a, __nv_bfloat16 b) { return __h##name(a, b); }         \
  CUDALAB_BOTH __nv_bfloat162 __h##name##2_rn(__nv_bfloat162 a, __nv_bfloat162 b) { return __h##name##2(a, b); }  \
  CUDALAB_BF16_OPERATORS(name, operation)
#define CUDALAB_BF16_OPERATORS(name, operation)                                                                         \
  CUDALAB_BOTH __nv_bfloat16 operator operation(__nv_bfloat16 a, __nv_bfloat16 b) { return __h##name(a, b); }           \
  CUDALAB_BOTH __nv_bfloat162 operator operation(__nv_bfloat162 a, __nv_bfloat162 b) { return __h##name##2(a, b); }     \
  CUDALAB_BOTH __nv_bfloat16& operator operation##=(__nv_bfloat16& a, __nv_bfloat16 b) { return a = __h##name(a, b); }  \
  CUDALAB_BOTH __nv_bfloat162& operator operation##=(__nv_bfloat162& a, __nv_bfloat162 b) {                             \
    return a = __h##name##2(a, b);                                                                                      \
  }
CUDALAB_BF16_BINARY(add, +, "add.rn", a, 0x3f80, b)
CUDALAB_BF16_BINARY(sub, -, "sub.rn", b, 0xbf80, a)
CUDALAB_BF16_BINARY(mul, *, "mul.rn", a, b, 0x8000)
#undef CUDALAB_BF16_BINARY
#undef CUDALAB_BF16_RESULT
#undef CUDALAB_BF16_RESULT2
CUDALAB_BOTH __nv_bfloat16 __hdiv(__nv_bfloat16 a, __nv_bfloat16 b) { return __nv_bfloat16((float)a / (float)b); }
CUDALAB_BOTH __nv_bfloat162 __hdiv2(__nv_bfloat162 a, __nv_bfloat162 b) {
  return __nv_bfloat162{__hdiv(a.x, b.x), __hdiv(a.y, b.y)};
}
CUDALAB_BOTH __nv_bfloat162 __h2div(__nv_bfloat162 a, __nv_bfloat162 b) { return __hdiv2(a, b); }
CUDALAB_BF16_OPERATORS(div, /)
#undef CUDALAB_BF16_OPERATORS
CUDALAB_BOTH __nv_bfloat16 __hneg(__nv_bfloat16 a) { return __ushort_as_bfloat16(a.__x ^ 0x8000); }
CUDALAB_BOTH __nv_bfloat16 __habs(__nv_bfloat16 a) { return __ushort_as_bfloat16(a.__x & 0x7fff); }
CUDALAB_BOTH __nv_bfloat16 operator-(__nv_bfloat16 a) { return __hneg(a); }
CUDALAB_BOTH __nv_bfloat16 operator+(__nv_bfloat16 a) { return a; }
CUDALAB_BOTH __nv_bfloat162 __hneg2(__nv_bfloat162 a) { return cudalab_bf16_pair(cudalab_word(a) ^ 0x80008000u); }
CUDALAB_BOTH __nv_bfloat162 __habs2(__nv_bfloat162 a) { return cudalab_bf16_pair(cudalab_word(a) & 0x7fff7fffu); }
CUDALAB_BOTH __nv_bfloat162 operator-(__nv_bfloat162 a) { return __hneg2(a); }

#define CUDALAB_BF16_COMPARISON(name, operation)                                                                    \
  CUDALAB_BOTH bool __h##name(__nv_bfloat16 a, __nv_bfloat16 b) { return (float)a operation (float)b; }             \
  CUDALAB_BOTH __nv_bfloat162 __h##name##2(__nv_bfloat162 a, __nv_bfloat162 b) {                                    \
    return __nv_bfloat162{__nv_bfloat16(__h##name(a.x, b.x) ? 1.f : 0.f),                                           \
                          __nv_bfloat16(__h##name(a.y, b.y) ? 1.f : 0.f)};                                          \
  }                                                                                                                 \
  CUDALAB_BOTH bool __hb##name##2(__nv_bfloat162 a, __nv_bfloat162 b) {                                             \
    return __h##name(a.x, b.x) && __h##name(a.y, b.y);                                                              \
  }                                                                                                                 \
  CUDALAB_BOTH bool operator operation(__nv_bfloat16 a, __nv_bfloat16 b) { return __h##name(a, b); }
CUDALAB_BF16_COMPARISON(eq, ==)
CUDALAB_BF16_COMPARISON(ne, !=)
CUDALAB_BF16_COMPARISON(lt, <)
CUDALAB_BF16_COMPARISON(le, <=)
CUDALAB_BF16_COMPARISON(gt, >)
CUDALAB_BF16_COMPARISON(ge, >=)
#undef CUDALAB_BF16_COMPARISON
CUDALAB_BOTH bool __hisnan(__nv_bfloat16 a) { return (a.__x & 0x7fff) > 0x7f80; }
CUDALAB_BOTH int __hisinf(__nv_bfloat16 a) { return (a.__x & 0x7fff) == 0x7f80 ? (a.__x & 0x8000 ? -1 : 1) : 0; }
// The other one where one is not a number.
CUDALAB_BOTH __nv_bfloat16 __hmax(__nv_bfloat16 a, __nv_bfloat16 b) { return __hisnan(a) || a < b ? b : a; }
CUDALAB_BOTH __nv_bfloat16 __hmin(__nv_bfloat16 a, __nv_bfloat16 b) { return __hisnan(a) || b < a ? b : a; }
CUDALAB_BOTH __nv_bfloat162 __hmax2(__nv_bfloat162 a, __nv_bfloat162 b) {
  return __nv_bfloat162{__hmax(a.x, b.x), __hmax(a.y, b.y)};
}
CUDALAB_BOTH __nv_bfloat162 __hmin2(__nv_bfloat162 a, __nv_bfloat162 b) {
  return __nv_bfloat162{__hmin(a.x, b.x), __hmin(a.y, b.y)};
}
CUDALAB_BOTH __nv_bfloat16 __hfma_relu(__nv_bfloat16 a, __nv_bfloat16 b, __nv_bfloat16 c) {
  return __hmax(__hfma(a, b, c), cudalab_bf16(0));
}

// ---- functions, on the device: computed in single precision and rounded -------------------------------
#define CUDALAB_BF16_FUNCTION(name, function)                                                                \
  CUDALAB_DEVICE __nv_bfloat16 h##name(__nv_bfloat16 a) { return __nv_bfloat16(function((float)a)); }        \
  CUDALAB_DEVICE __nv_bfloat162 h2##name(__nv_bfloat162 a) { return __nv_bfloat162{h##name(a.x), h##name(a.y)}; }
CUDALAB_BF16_FUNCTION(sqrt, sqrtf)
CUDALAB_BF16_FUNCTION(rsqrt, rsqrtf)
CUDALAB_BF16_FUNCTION(rcp, 1.f / )
CUDALAB_BF16_FUNCTION(exp, expf)
CUDALAB_BF16_FUNCTION(exp2, exp2f)
CUDALAB_BF16_FUNCTION(exp10, exp10f)
CUDALAB_BF16_FUNCTION(log, logf)
CUDALAB_BF16_FUNCTION(log2, log2f)
CUDALAB_BF16_FUNCTION(log10, log10f)
CUDALAB_BF16_FUNCTION(sin, sinf)
CUDALAB_BF16_FUNCTION(cos, cosf)
CUDALAB_BF16_FUNCTION(tanh, tanhf)
CUDALAB_BF16_FUNCTION(floor, floorf)
CUDALAB_BF16_FUNCTION(ceil, ceilf)
CUDALAB_BF16_FUNCTION(trunc, truncf)
CUDALAB_BF16_FUNCTION(rint, rintf)
#undef CUDALAB_BF16_FUNCTION

// ---- memory and lanes --------------------------------------------------------------------------------
CUDALAB_DEVICE __nv_bfloat162 atomicAdd(__nv_bfloat162* address, __nv_bfloat162 value) {
  unsigned before;
  asm volatile("atom.add.noftz.bf16x2 %0, [%1], %2;" : "=r"(before) : "l"(address), "r"(cudalab_word(value)) : "memory");
  return cudalab_bf16_pair(before);
}
CUDALAB_DEVICE __nv_bfloat16 atomicAdd(__nv_bfloat16* address, __nv_bfloat16 value) {
  unsigned short before;
  asm volatile("atom.add.noftz.bf16 %0, [%1], %2;" : "=h"(before) : "l"(address), "h"(value.__x) : "memory");
  return __ushort_as_bfloat16(before);
}
CUDALAB_DEVICE __nv_bfloat16 __ldg(const __nv_bfloat16* address) {
  return __ushort_as_bfloat16(__ldg((const unsigned short*)address));
}
CUDALAB_DEVICE __nv_bfloat162 __ldg(const __nv_bfloat162* address) {
  return cudalab_bf16_pair(__ldg((const unsigned*)address));
}
#define CUDALAB_BF16_SHUFFLE(name, lane)                                                                        \
  CUDALAB_DEVICE __nv_bfloat16 name(unsigned mask, __nv_bfloat16 value, lane which, int width = 32) {           \
    return __ushort_as_bfloat16((unsigned short)name(mask, (unsigned)value.__x, which, width));                 \
  }                                                                                                             \
  CUDALAB_DEVICE __nv_bfloat162 name(unsigned mask, __nv_bfloat162 value, lane which, int width = 32) {         \
    return cudalab_bf16_pair(name(mask, cudalab_word(value), which, width));                                    \
  }
CUDALAB_BF16_SHUFFLE(__shfl_sync, int)
CUDALAB_BF16_SHUFFLE(__shfl_up_sync, unsigned)
CUDALAB_BF16_SHUFFLE(__shfl_down_sync, unsigned)
CUDALAB_BF16_SHUFFLE(__shfl_xor_sync, int)
#undef CUDALAB_BF16_SHUFFLE
