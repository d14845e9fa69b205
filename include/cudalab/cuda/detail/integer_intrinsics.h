// Integer functions: counting and moving bits, products of halves, sums of differences, dot products, minima and
// maxima, and the SIMD functions on words of 2 halves or 4 bytes.
#pragma once

#include "qualifiers.h"

CUDALAB_DEVICE int __popc(unsigned x) { return __builtin_popcount(x); }
CUDALAB_DEVICE int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
CUDALAB_DEVICE int __clz(int x) { return x == 0 ? 32 : __builtin_clz(x); }
CUDALAB_DEVICE int __clzll(long long x) { return x == 0 ? 64 : __builtin_clzll(x); }
CUDALAB_DEVICE int __ffs(int x) { return __builtin_ffs(x); }
CUDALAB_DEVICE int __ffsll(long long x) { return __builtin_ffsll(x); }
CUDALAB_DEVICE unsigned __brev(unsigned x) { return __builtin_bitreverse32(x); }
CUDALAB_DEVICE unsigned long long __brevll(unsigned long long x) { return __builtin_bitreverse64(x); }
CUDALAB_DEVICE unsigned __byte_perm(unsigned x, unsigned y, unsigned selector) {
  unsigned result;
  asm("prmt.b32 %0, %1, %2, %3;" : "=r"(result) : "r"(x), "r"(y), "r"(selector & 0x7777));
  return result;
}
// The n-th set bit of mask, counted from the bit `base` upwards, or downwards where `offset` is negative.
CUDALAB_DEVICE unsigned __fns(unsigned mask, unsigned base, int offset) {
  unsigned result;
  asm("fns.b32 %0, %1, %2, %3;" : "=r"(result) : "r"(mask), "r"(base), "r"(offset));
  return result;
}

#define CUDALAB_FUNNEL(name, instruction)                                                       \
  CUDALAB_DEVICE unsigned name(unsigned low, unsigned high, unsigned shift) {                   \
    unsigned result;                                                                            \
    asm(instruction " %0, %1, %2, %3;" : "=r"(result) : "r"(low), "r"(high), "r"(shift));       \
    return result;                                                                              \
  }
CUDALAB_FUNNEL(__funnelshift_l, "shf.l.wrap.b32")
CUDALAB_FUNNEL(__funnelshift_lc, "shf.l.clamp.b32")
CUDALAB_FUNNEL(__funnelshift_r, "shf.r.wrap.b32")
CUDALAB_FUNNEL(__funnelshift_rc, "shf.r.clamp.b32")
#undef CUDALAB_FUNNEL

// ---- products and averages ---------------------------------------------------------------------------
CUDALAB_DEVICE int __mulhi(int a, int b) { return (int)((long long)a * b >> 32); }
CUDALAB_DEVICE unsigned __umulhi(unsigned a, unsigned b) {
  return (unsigned)((unsigned long long)a * b >> 32);
}
CUDALAB_DEVICE long long __mul64hi(long long a, long long b) { return (long long)((__int128)a * b >> 64); }
CUDALAB_DEVICE unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  return (unsigned long long)((unsigned __int128)a * b >> 64);
}
CUDALAB_DEVICE int __mul24(int a, int b) {
  int result;
  asm("mul24.lo.s32 %0, %1, %2;" : "=r"(result) : "r"(a), "r"(b));
  return result;
}
CUDALAB_DEVICE unsigned __umul24(unsigned a, unsigned b) {
  unsigned result;
  asm("mul24.lo.u32 %0, %1, %2;" : "=r"(result) : "r"(a), "r"(b));
  return result;
}
CUDALAB_DEVICE unsigned __sad(int a, int b, unsigned sum) {
  unsigned result;
  asm("sad.s32 %0, %1, %2, %3;" : "=r"(result) : "r"(a), "r"(b), "r"(sum));
  return result;
}
CUDALAB_DEVICE unsigned __usad(unsigned a, unsigned b, unsigned sum) {
  unsigned result;
  asm("sad.u32 %0, %1, %2, %3;" : "=r"(result) : "r"(a), "r"(b), "r"(sum));
  return result;
}
CUDALAB_DEVICE int __hadd(int a, int b) { return (int)(((long long)a + b) >> 1); }
CUDALAB_DEVICE int __rhadd(int a, int b) { return (int)(((long long)a + b + 1) >> 1); }
CUDALAB_DEVICE unsigned __uhadd(unsigned a, unsigned b) { return (unsigned)(((unsigned long long)a + b) >> 1); }
CUDALAB_DEVICE unsigned __urhadd(unsigned a, unsigned b) {
  return (unsigned)(((unsigned long long)a + b + 1) >> 1);
}

// ---- dot products of bytes and halves ----------------------------------------------------------------
#define CUDALAB_DOT(name, instruction, a_type, b_type, result_type)                                        \
  CUDALAB_DEVICE result_type name(a_type a, b_type b, result_type sum) {                                   \
    result_type result;                                                                                    \
    asm(instruction " %0, %1, %2, %3;"                                                                     \
        : "=r"(result)                                                                                     \
        : "r"(__builtin_bit_cast(unsigned, a)), "r"(__builtin_bit_cast(unsigned, b)), "r"(sum));           \
    return result;                                                                                         \
  }
CUDALAB_DOT(__dp4a, "dp4a.s32.s32", int, int, int)
CUDALAB_DOT(__dp4a, "dp4a.u32.u32", unsigned, unsigned, unsigned)
CUDALAB_DOT(__dp4a, "dp4a.s32.s32", char4, char4, int)
CUDALAB_DOT(__dp4a, "dp4a.u32.u32", uchar4, uchar4, unsigned)
CUDALAB_DOT(__dp2a_lo, "dp2a.lo.s32.s32", int, int, int)
CUDALAB_DOT(__dp2a_lo, "dp2a.lo.u32.u32", unsigned, unsigned, unsigned)
CUDALAB_DOT(__dp2a_hi, "dp2a.hi.s32.s32", int, int, int)
CUDALAB_DOT(__dp2a_hi, "dp2a.hi.u32.u32", unsigned, unsigned, unsigned)
#undef CUDALAB_DOT

// ---- minima, maxima and absolute values --------------------------------------------------------------
// Of mixed types as C++ converts them.
#define CUDALAB_ORDER(type, a_type, b_type)                                          \
  CUDALAB_BOTH type min(a_type a, b_type b) { return (type)a < (type)b ? (type)a : (type)b; } \
  CUDALAB_BOTH type max(a_type a, b_type b) { return (type)a > (type)b ? (type)a : (type)b; }
#define CUDALAB_ORDER_MIXED(signed_type, unsigned_type)         \
  CUDALAB_ORDER(signed_type, signed_type, signed_type)          \
  CUDALAB_ORDER(unsigned_type, unsigned_type, unsigned_type)    \
  CUDALAB_ORDER(unsigned_type, signed_type, unsigned_type)      \
  CUDALAB_ORDER(unsigned_type, unsigned_type, signed_type)
CUDALAB_ORDER_MIXED(int, unsigned int)
CUDALAB_ORDER_MIXED(long, unsigned long)
CUDALAB_ORDER_MIXED(long long, unsigned long long)
#undef CUDALAB_ORDER_MIXED
#undef CUDALAB_ORDER
CUDALAB_DEVICE unsigned umin(unsigned a, unsigned b) { return a < b ? a : b; }
CUDALAB_DEVICE unsigned umax(unsigned a, unsigned b) { return a > b ? a : b; }
CUDALAB_DEVICE long long llmin(long long a, long long b) { return a < b ? a : b; }
CUDALAB_DEVICE long long llmax(long long a, long long b) { return a > b ? a : b; }
CUDALAB_DEVICE unsigned long long ullmin(unsigned long long a, unsigned long long b) { return a < b ? a : b; }
CUDALAB_DEVICE unsigned long long ullmax(unsigned long long a, unsigned long long b) { return a > b ? a : b; }

CUDALAB_DEVICE int abs(int x) { return x < 0 ? -x : x; }
CUDALAB_DEVICE long abs(long x) { return x < 0 ? -x : x; }
CUDALAB_DEVICE long long abs(long long x) { return x < 0 ? -x : x; }
CUDALAB_DEVICE long labs(long x) { return x < 0 ? -x : x; }
CUDALAB_DEVICE long long llabs(long long x) { return x < 0 ? -x : x; }

// ---- SIMD: 4 bytes or 2 halves of a word -------------------------------------------------------------
// Each lane of the result is `expression` of lanes a and b, kept to the lane's width.
#define CUDALAB_SIMD(name, bits, lane_type, expression)                                            \
  CUDALAB_DEVICE unsigned name(unsigned x, unsigned y) {                                           \
    unsigned result = 0;                                                                           \
    for (int shift = 0; shift < 32; shift += bits) {                                               \
      const int a = (lane_type)(x >> shift), b = (lane_type)(y >> shift);                          \
      result |= ((unsigned)(expression) & ((1u << bits) - 1)) << shift;                            \
    }                                                                                              \
    return result;                                                                                 \
  }
#define CUDALAB_SIMD_BOTH(name, signed_2, unsigned_2, signed_4, unsigned_4, s_expression, u_expression) \
  CUDALAB_SIMD(signed_2, 16, short, s_expression)                                                       \
  CUDALAB_SIMD(unsigned_2, 16, unsigned short, u_expression)                                            \
  CUDALAB_SIMD(signed_4, 8, signed char, s_expression)                                                  \
  CUDALAB_SIMD(unsigned_4, 8, unsigned char, u_expression)
#define CUDALAB_SIMD_PLAIN(suffix, expression)                \
  CUDALAB_SIMD(__v##suffix##2, 16, unsigned short, expression) \
  CUDALAB_SIMD(__v##suffix##4, 8, unsigned char, expression)
#define CUDALAB_SIMD_SIGNS(suffix, expression)                       \
  CUDALAB_SIMD(__v##suffix##s2, 16, short, expression)               \
  CUDALAB_SIMD(__v##suffix##u2, 16, unsigned short, expression)      \
  CUDALAB_SIMD(__v##suffix##s4, 8, signed char, expression)          \
  CUDALAB_SIMD(__v##suffix##u4, 8, unsigned char, expression)
CUDALAB_SIMD_PLAIN(add, a + b)
CUDALAB_SIMD_PLAIN(sub, a - b)
CUDALAB_SIMD_PLAIN(cmpeq, a == b ? -1 : 0)
CUDALAB_SIMD_PLAIN(cmpne, a != b ? -1 : 0)
CUDALAB_SIMD_PLAIN(seteq, a == b)
CUDALAB_SIMD_PLAIN(setne, a != b)
CUDALAB_SIMD_PLAIN(avgu, (a + b + 1) >> 1)
CUDALAB_SIMD_PLAIN(haddu, (a + b) >> 1)
CUDALAB_SIMD_PLAIN(absdiffu, a > b ? a - b : b - a)
CUDALAB_SIMD_SIGNS(max, a > b ? a : b)
CUDALAB_SIMD_SIGNS(min, a < b ? a : b)
CUDALAB_SIMD_SIGNS(cmpgt, a > b ? -1 : 0)
CUDALAB_SIMD_SIGNS(cmpge, a >= b ? -1 : 0)
CUDALAB_SIMD_SIGNS(cmplt, a < b ? -1 : 0)
CUDALAB_SIMD_SIGNS(cmple, a <= b ? -1 : 0)
CUDALAB_SIMD_SIGNS(setgt, a > b)
CUDALAB_SIMD_SIGNS(setge, a >= b)
CUDALAB_SIMD_SIGNS(setlt, a < b)
CUDALAB_SIMD_SIGNS(setle, a <= b)
CUDALAB_SIMD(__vavgs2, 16, short, (a + b + (a + b >= 0)) >> 1)
CUDALAB_SIMD(__vavgs4, 8, signed char, (a + b + (a + b >= 0)) >> 1)
CUDALAB_SIMD(__vabsdiffs2, 16, short, a > b ? a - b : b - a)
CUDALAB_SIMD(__vabsdiffs4, 8, signed char, a > b ? a - b : b - a)
// Saturating: a result that its lane cannot hold becomes the nearest that it can.
CUDALAB_DEVICE int cudalab_clamped(int value, int least, int most) {
  return value < least ? least : value > most ? most : value;
}
CUDALAB_SIMD(__vaddss2, 16, short, cudalab_clamped(a + b, -32768, 32767))
CUDALAB_SIMD(__vaddus2, 16, unsigned short, cudalab_clamped(a + b, 0, 65535))
CUDALAB_SIMD(__vaddss4, 8, signed char, cudalab_clamped(a + b, -128, 127))
CUDALAB_SIMD(__vaddus4, 8, unsigned char, cudalab_clamped(a + b, 0, 255))
CUDALAB_SIMD(__vsubss2, 16, short, cudalab_clamped(a - b, -32768, 32767))
CUDALAB_SIMD(__vsubus2, 16, unsigned short, cudalab_clamped(a - b, 0, 65535))
CUDALAB_SIMD(__vsubss4, 8, signed char, cudalab_clamped(a - b, -128, 127))
CUDALAB_SIMD(__vsubus4, 8, unsigned char, cudalab_clamped(a - b, 0, 255))
CUDALAB_DEVICE unsigned __vneg2(unsigned x) { return __vsub2(0, x); }
CUDALAB_DEVICE unsigned __vneg4(unsigned x) { return __vsub4(0, x); }
CUDALAB_DEVICE unsigned __vabs2(unsigned x) { return __vsub2(x ^ __vcmplts2(x, 0), __vcmplts2(x, 0)); }
CUDALAB_DEVICE unsigned __vabs4(unsigned x) { return __vsub4(x ^ __vcmplts4(x, 0), __vcmplts4(x, 0)); }
CUDALAB_DEVICE unsigned cudalab_sum_of_lanes(unsigned x, int bits) {
  unsigned sum = 0;
  for (int shift = 0; shift < 32; shift += bits) sum += x >> shift & ((1u << bits) - 1);
  return sum;
}
CUDALAB_DEVICE unsigned __vsadu2(unsigned x, unsigned y) { return cudalab_sum_of_lanes(__vabsdiffu2(x, y), 16); }
CUDALAB_DEVICE unsigned __vsads2(unsigned x, unsigned y) { return cudalab_sum_of_lanes(__vabsdiffs2(x, y), 16); }
CUDALAB_DEVICE unsigned __vsadu4(unsigned x, unsigned y) { return cudalab_sum_of_lanes(__vabsdiffu4(x, y), 8); }
CUDALAB_DEVICE unsigned __vsads4(unsigned x, unsigned y) { return cudalab_sum_of_lanes(__vabsdiffs4(x, y), 8); }
#undef CUDALAB_SIMD_SIGNS
#undef CUDALAB_SIMD_PLAIN
#undef CUDALAB_SIMD_BOTH
#undef CUDALAB_SIMD
