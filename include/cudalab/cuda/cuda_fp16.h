// Half precision, as the CUDA Math API documents it: __half and __half2, for the host and the device.
#pragma once

#include "cuda_runtime.h"

struct __half {
  unsigned short __x;

  __half() = default;
  CUDALAB_INLINE __half(float value) : __x(__builtin_bit_cast(unsigned short, (_Float16)value)) {}
  CUDALAB_INLINE __half(double value) : __x(__builtin_bit_cast(unsigned short, (_Float16)value)) {}
  CUDALAB_INLINE __half(int value) : __half((double)value) {}
  CUDALAB_INLINE __half(unsigned value) : __half((double)value) {}
  CUDALAB_INLINE __half(short value) : __half((float)value) {}
  CUDALAB_INLINE __half(unsigned short value) : __half((float)value) {}
  CUDALAB_INLINE __half(long long value) : __x(__builtin_bit_cast(unsigned short, (_Float16)value)) {}
  CUDALAB_INLINE __half(unsigned long long value) : __x(__builtin_bit_cast(unsigned short, (_Float16)value)) {}
  CUDALAB_INLINE operator float() const { return (float)__builtin_bit_cast(_Float16, __x); }
};
typedef __half half;
struct __half_raw {
  unsigned short x;
};
struct __attribute__((aligned(4))) __half2 {
  __half x, y;
};
typedef __half2 half2;

// The types with which clang computes.
typedef _Float16 cudalab_half2 __attribute__((ext_vector_type(2)));
CUDALAB_BOTH _Float16 cudalab_native(__half a) { return __builtin_bit_cast(_Float16, a.__x); }
CUDALAB_BOTH cudalab_half2 cudalab_native(__half2 a) { return __builtin_bit_cast(cudalab_half2, a); }
CUDALAB_BOTH __half cudalab_made(_Float16 a) { return __builtin_bit_cast(__half, a); }
CUDALAB_BOTH __half2 cudalab_made(cudalab_half2 a) { return __builtin_bit_cast(__half2, a); }

// ---- conversions -------------------------------------------------------------------------------------
CUDALAB_BOTH __half __float2half(float a) { return __half(a); }
CUDALAB_BOTH __half __float2half_rn(float a) { return __half(a); }
CUDALAB_BOTH __half __double2half(double a) { return __half(a); }
CUDALAB_BOTH float __half2float(__half a) { return (float)a; }
CUDALAB_BOTH __half __ushort_as_half(unsigned short bits) { return __builtin_bit_cast(__half, bits); }
CUDALAB_BOTH __half __short_as_half(short bits) { return __builtin_bit_cast(__half, bits); }
CUDALAB_BOTH unsigned short __half_as_ushort(__half a) { return a.__x; }
CUDALAB_BOTH short __half_as_short(__half a) { return (short)a.__x; }
#define CUDALAB_HALF_INTEGER(name, type)                                                     \
  CUDALAB_BOTH __half __##name##2half_rn(type a) { return __half(a); }                       \
  CUDALAB_BOTH type __half2##name##_rz(__half a) { return (type)cudalab_native(a); }
CUDALAB_HALF_INTEGER(int, int)
CUDALAB_HALF_INTEGER(uint, unsigned)
CUDALAB_HALF_INTEGER(short, short)
CUDALAB_HALF_INTEGER(ushort, unsigned short)
CUDALAB_HALF_INTEGER(ll, long long)
CUDALAB_HALF_INTEGER(ull, unsigned long long)
#undef CUDALAB_HALF_INTEGER
CUDALAB_BOTH int __half2int_rn(__half a) { return (int)__builtin_rintf((float)a); }
CUDALAB_BOTH int __half2int_rd(__half a) { return (int)__builtin_floorf((float)a); }
CUDALAB_BOTH int __half2int_ru(__half a) { return (int)__builtin_ceilf((float)a); }
// The other directions of rounding exist in the device's instructions only.
#define CUDALAB_ROUNDED(name, mode)                               \
  CUDALAB_DEVICE __half __float2half_##name(float a) {            \
    unsigned short bits;                                          \
    asm("cvt." #mode ".f16.f32 %0, %1;" : "=h"(bits) : "f"(a));   \
    return __ushort_as_half(bits);                                \
  }
CUDALAB_ROUNDED(rz, rz)
CUDALAB_ROUNDED(rd, rm)
CUDALAB_ROUNDED(ru, rp)
#undef CUDALAB_ROUNDED

CUDALAB_BOTH __half2 __halves2half2(__half a, __half b) { return __half2{a, b}; }
CUDALAB_BOTH __half2 make_half2(__half a, __half b) { return __half2{a, b}; }
CUDALAB_BOTH __half2 __half2half2(__half a) { return __half2{a, a}; }
CUDALAB_BOTH __half2 __float2half2_rn(float a) { return __half2half2(__half(a)); }
CUDALAB_BOTH __half2 __floats2half2_rn(float a, float b) { return __half2{__half(a), __half(b)}; }
CUDALAB_BOTH __half2 __float22half2_rn(float2 a) { return __floats2half2_rn(a.x, a.y); }
CUDALAB_BOTH float2 __half22float2(__half2 a) { return float2{(float)a.x, (float)a.y}; }
CUDALAB_BOTH float __low2float(__half2 a) { return (float)a.x; }
CUDALAB_BOTH float __high2float(__half2 a) { return (float)a.y; }
CUDALAB_BOTH __half __low2half(__half2 a) { return a.x; }
CUDALAB_BOTH __half __high2half(__half2 a) { return a.y; }
CUDALAB_BOTH __half2 __low2half2(__half2 a) { return __half2{a.x, a.x}; }
CUDALAB_BOTH __half2 __high2half2(__half2 a) { return __half2{a.y, a.y}; }
CUDALAB_BOTH __half2 __lows2half2(__half2 a, __half2 b) { return __half2{a.x, b.x}; }
CUDALAB_BOTH __half2 __highs2half2(__half2 a, __half2 b) { return __half2{a.y, b.y}; }
CUDALAB_BOTH __half2 __lowhigh2highlow(__half2 a) { return __half2{a.y, a.x}; }

// ---- arithmetic and comparisons, of one and of two elements ------------------------------------------
#define CUDALAB_HALF_BINARY(name, operation)                                                                         \
  CUDALAB_BOTH __half __h##name(__half a, __half b) {                                                                \
    return cudalab_made((_Float16)(cudalab_native(a) operation cudalab_native(b)));                                  \
  }                                                                                                                  \
  CUDALAB_BOTH __half2 __h##name##2(__half2 a, __half2 b) {                                                          \
    return cudalab_made(cudalab_native(a) operation cudalab_native(b));                                              \
  }                                                                                                                  \
  CUDALAB_BOTH __half operator operation(__half a, __half b) { return __h##name(a, b); }                             \
  CUDALAB_BOTH __half2 operator operation(__half2 a, __half2 b) { return __h##name##2(a, b); }                       \
  CUDALAB_BOTH __half& operator operation##=(__half& a, __half b) { return a = __h##name(a, b); }                    \
  CUDALAB_BOTH __half2& operator operation##=(__half2& a, __half2 b) { return a = __h##name##2(a, b); }
CUDALAB_HALF_BINARY(add, +)
CUDALAB_HALF_BINARY(sub, -)
CUDALAB_HALF_BINARY(mul, *)
CUDALAB_HALF_BINARY(div, /)
#undef CUDALAB_HALF_BINARY
CUDALAB_BOTH __half2 __h2div(__half2 a, __half2 b) { return __hdiv2(a, b); }
CUDALAB_BOTH __half __hadd_rn(__half a, __half b) { return __hadd(a, b); }
CUDALAB_BOTH __half __hsub_rn(__half a, __half b) { return __hsub(a, b); }
CUDALAB_BOTH __half __hmul_rn(__half a, __half b) { return __hmul(a, b); }
CUDALAB_BOTH __half __hneg(__half a) { return __ushort_as_half(a.__x ^ 0x8000); }
CUDALAB_BOTH __half __habs(__half a) { return __ushort_as_half(a.__x & 0x7fff); }
CUDALAB_BOTH __half operator-(__half a) { return __hneg(a); }
CUDALAB_BOTH __half operator+(__half a) { return a; }
CUDALAB_BOTH __half2 __hneg2(__half2 a) { return __half2{__hneg(a.x), __hneg(a.y)}; }
CUDALAB_BOTH __half2 __habs2(__half2 a) { return __half2{__habs(a.x), __habs(a.y)}; }
CUDALAB_BOTH __half2 operator-(__half2 a) { return __hneg2(a); }
// Rounded once, also on the host: the product of two halves is exact in double precision.
CUDALAB_BOTH __half __hfma(__half a, __half b, __half c) {
#ifdef __CUDA_ARCH__
  return cudalab_made(__builtin_elementwise_fma(cudalab_native(a), cudalab_native(b), cudalab_native(c)));
#else
  return __half((double)(float)a * (double)(float)b + (double)(float)c);
#endif
}
CUDALAB_BOTH __half2 __hfma2(__half2 a, __half2 b, __half2 c) {
#ifdef __CUDA_ARCH__
  return cudalab_made(__builtin_elementwise_fma(cudalab_native(a), cudalab_native(b), cudalab_native(c)));
#else
  return __half2{__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)};
#endif
}

#define CUDALAB_HALF_COMPARISON(name, operation)                                                               \
  CUDALAB_BOTH bool __h##name(__half a, __half b) { return cudalab_native(a) operation cudalab_native(b); }    \
  CUDALAB_BOTH __half2 __h##name##2(__half2 a, __half2 b) {                                                    \
    return __half2{__half(__h##name(a.x, b.x) ? 1.f : 0.f), __half(__h##name(a.y, b.y) ? 1.f : 0.f)};          \
  }                                                                                                            \
  CUDALAB_BOTH bool __hb##name##2(__half2 a, __half2 b) { return __h##name(a.x, b.x) && __h##name(a.y, b.y); } \
  CUDALAB_BOTH bool operator operation(__half a, __half b) { return __h##name(a, b); }
CUDALAB_HALF_COMPARISON(eq, ==)
CUDALAB_HALF_COMPARISON(ne, !=)
CUDALAB_HALF_COMPARISON(lt, <)
CUDALAB_HALF_COMPARISON(le, <=)
CUDALAB_HALF_COMPARISON(gt, >)
CUDALAB_HALF_COMPARISON(ge, >=)
#undef CUDALAB_HALF_COMPARISON
CUDALAB_BOTH bool __hisnan(__half a) { return (a.__x & 0x7fff) > 0x7c00; }
CUDALAB_BOTH int __hisinf(__half a) { return (a.__x & 0x7fff) == 0x7c00 ? (a.__x & 0x8000 ? -1 : 1) : 0; }
// The other one where one is not a number.
CUDALAB_BOTH __half __hmax(__half a, __half b) { return __hisnan(a) || a < b ? b : a; }
CUDALAB_BOTH __half __hmin(__half a, __half b) { return __hisnan(a) || b < a ? b : a; }
CUDALAB_BOTH __half2 __hmax2(__half2 a, __half2 b) { return __half2{__hmax(a.x, b.x), __hmax(a.y, b.y)}; }
CUDALAB_BOTH __half2 __hmin2(__half2 a, __half2 b) { return __half2{__hmin(a.x, b.x), __hmin(a.y, b.y)}; }
CUDALAB_BOTH __half cudalab_saturated(__half a) { return __hisnan(a) || a < __half(0.f) ? __half(0.f) : a > __half(1.f) ? __half(1.f) : a; }
CUDALAB_BOTH __half __hadd_sat(__half a, __half b) { return cudalab_saturated(__hadd(a, b)); }
CUDALAB_BOTH __half __hsub_sat(__half a, __half b) { return cudalab_saturated(__hsub(a, b)); }
CUDALAB_BOTH __half __hmul_sat(__half a, __half b) { return cudalab_saturated(__hmul(a, b)); }
CUDALAB_BOTH __half __hfma_sat(__half a, __half b, __half c) { return cudalab_saturated(__hfma(a, b, c)); }
CUDALAB_BOTH __half __hfma_relu(__half a, __half b, __half c) { return __hmax(__hfma(a, b, c), __half(0.f)); }

// ---- functions, on the device: computed in single precision and rounded -------------------------------
#define CUDALAB_HALF_FUNCTION(name, function)                                                     \
  CUDALAB_DEVICE __half h##name(__half a) { return __half(function((float)a)); }                  \
  CUDALAB_DEVICE __half2 h2##name(__half2 a) { return __half2{h##name(a.x), h##name(a.y)}; }
CUDALAB_HALF_FUNCTION(sqrt, sqrtf)
CUDALAB_HALF_FUNCTION(rsqrt, rsqrtf)
CUDALAB_HALF_FUNCTION(rcp, 1.f / )
CUDALAB_HALF_FUNCTION(exp, expf)
CUDALAB_HALF_FUNCTION(exp2, exp2f)
CUDALAB_HALF_FUNCTION(exp10, exp10f)
CUDALAB_HALF_FUNCTION(log, logf)
CUDALAB_HALF_FUNCTION(log2, log2f)
CUDALAB_HALF_FUNCTION(log10, log10f)
CUDALAB_HALF_FUNCTION(sin, sinf)
CUDALAB_HALF_FUNCTION(cos, cosf)
CUDALAB_HALF_FUNCTION(tanh, tanhf)
CUDALAB_HALF_FUNCTION(floor, floorf)
CUDALAB_HALF_FUNCTION(ceil, ceilf)
CUDALAB_HALF_FUNCTION(trunc, truncf)
CUDALAB_HALF_FUNCTION(rint, rintf)
#undef CUDALAB_HALF_FUNCTION

// ---- memory and lanes --------------------------------------------------------------------------------
CUDALAB_DEVICE __half2 atomicAdd(__half2* address, __half2 value) {
  unsigned before;
  asm volatile("atom.add.noftz.f16x2 %0, [%1], %2;"
               : "=r"(before)
               : "l"(address), "r"(__builtin_bit_cast(unsigned, value))
               : "memory");
  return __builtin_bit_cast(__half2, before);
}
CUDALAB_DEVICE __half atomicAdd(__half* address, __half value) {
  unsigned short before;
  asm volatile("atom.add.noftz.f16 %0, [%1], %2;" : "=h"(before) : "l"(address), "h"(value.__x) : "memory");
  return __ushort_as_half(before);
}
CUDALAB_DEVICE __half __ldg(const __half* address) { return __ushort_as_half(__ldg((const unsigned short*)address)); }
CUDALAB_DEVICE __half2 __ldg(const __half2* address) {
  return __builtin_bit_cast(__half2, __ldg((const unsigned*)address));
}
#define CUDALAB_HALF_SHUFFLE(name, lane)                                                                      \
  CUDALAB_DEVICE __half name(unsigned mask, __half value, lane which, int width = 32) {                       \
    return __ushort_as_half((unsigned short)name(mask, (unsigned)value.__x, which, width));                   \
  }                                                                                                           \
  CUDALAB_DEVICE __half2 name(unsigned mask, __half2 value, lane which, int width = 32) {                     \
    return __builtin_bit_cast(__half2, name(mask, __builtin_bit_cast(unsigned, value), which, width));        \
  }
CUDALAB_HALF_SHUFFLE(__shfl_sync, int)
CUDALAB_HALF_SHUFFLE(__shfl_up_sync, unsigned)
CUDALAB_HALF_SHUFFLE(__shfl_down_sync, unsigned)
CUDALAB_HALF_SHUFFLE(__shfl_xor_sync, int)
#undef CUDALAB_HALF_SHUFFLE
