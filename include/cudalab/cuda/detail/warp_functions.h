// Shuffles, votes, matches and reductions of a warp.
#pragma once

#include "qualifiers.h"

// ---- shuffles ----------------------------------------------------------------------------------------
// The last operand of shfl: where segments of `width` lanes begin (bits 8 to 12) and end.
CUDALAB_DEVICE int cudalab_segment(int width, int clamp) { return ((32 - width) << 8) | clamp; }

#define CUDALAB_SHUFFLE(name, mode, clamp, lane)                                                            \
  CUDALAB_DEVICE int name(unsigned mask, int value, lane which, int width = 32) {                           \
    return __nvvm_shfl_sync_##mode##_i32(mask, value, (int)which, cudalab_segment(width, clamp));           \
  }                                                                                                         \
  CUDALAB_DEVICE unsigned name(unsigned mask, unsigned value, lane which, int width = 32) {                 \
    return (unsigned)name(mask, (int)value, which, width);                                                  \
  }                                                                                                         \
  CUDALAB_DEVICE float name(unsigned mask, float value, lane which, int width = 32) {                       \
    return __nvvm_shfl_sync_##mode##_f32(mask, value, (int)which, cudalab_segment(width, clamp));           \
  }                                                                                                         \
  CUDALAB_DEVICE unsigned long long name(unsigned mask, unsigned long long value, lane which,               \
                                         int width = 32) {                                                  \
    const unsigned low = name(mask, (unsigned)value, which, width);                                         \
    const unsigned high = name(mask, (unsigned)(value >> 32), which, width);                                \
    return (unsigned long long)high << 32 | low;                                                            \
  }                                                                                                         \
  CUDALAB_DEVICE long long name(unsigned mask, long long value, lane which, int width = 32) {               \
    return (long long)name(mask, (unsigned long long)value, which, width);                                  \
  }                                                                                                         \
  CUDALAB_DEVICE unsigned long name(unsigned mask, unsigned long value, lane which, int width = 32) {       \
    return (unsigned long)name(mask, (unsigned long long)value, which, width);                              \
  }                                                                                                         \
  CUDALAB_DEVICE long name(unsigned mask, long value, lane which, int width = 32) {                         \
    return (long)name(mask, (unsigned long long)value, which, width);                                       \
  }                                                                                                         \
  CUDALAB_DEVICE double name(unsigned mask, double value, lane which, int width = 32) {                     \
    return __builtin_bit_cast(double,                                                                       \
                              name(mask, __builtin_bit_cast(unsigned long long, value), which, width));     \
  }
CUDALAB_SHUFFLE(__shfl_sync, idx, 31, int)
CUDALAB_SHUFFLE(__shfl_up_sync, up, 0, unsigned)
CUDALAB_SHUFFLE(__shfl_down_sync, down, 31, unsigned)
CUDALAB_SHUFFLE(__shfl_xor_sync, bfly, 31, int)
#undef CUDALAB_SHUFFLE

// ---- votes -------------------------------------------------------------------------------------------
CUDALAB_DEVICE int __all_sync(unsigned mask, int predicate) {
  return __nvvm_vote_all_sync(mask, predicate != 0);
}
CUDALAB_DEVICE int __any_sync(unsigned mask, int predicate) {
  return __nvvm_vote_any_sync(mask, predicate != 0);
}
CUDALAB_DEVICE int __uni_sync(unsigned mask, int predicate) {
  return __nvvm_vote_uni_sync(mask, predicate != 0);
}
CUDALAB_DEVICE unsigned __ballot_sync(unsigned mask, int predicate) {
  return __nvvm_vote_ballot_sync(mask, predicate != 0);
}

// ---- matches -----------------------------------------------------------------------------------------
CUDALAB_DEVICE unsigned cudalab_match_any(unsigned mask, unsigned bits) {
  return __nvvm_match_any_sync_i32(mask, bits);
}
CUDALAB_DEVICE unsigned cudalab_match_any(unsigned mask, unsigned long long bits) {
  unsigned lanes;
  asm volatile("match.any.sync.b64 %0, %1, %2;" : "=r"(lanes) : "l"(bits), "r"(mask) : "memory");
  return lanes;
}
CUDALAB_DEVICE unsigned cudalab_match_all(unsigned mask, unsigned bits, int* is_same) {
  return __nvvm_match_all_sync_i32p(mask, bits, is_same);
}
CUDALAB_DEVICE unsigned cudalab_match_all(unsigned mask, unsigned long long bits, int* is_same) {
  return __nvvm_match_all_sync_i64p(mask, bits, is_same);
}
#define CUDALAB_MATCH(type, bits)                                                              \
  CUDALAB_DEVICE unsigned __match_any_sync(unsigned mask, type value) {                        \
    return cudalab_match_any(mask, __builtin_bit_cast(bits, value));                           \
  }                                                                                            \
  CUDALAB_DEVICE unsigned __match_all_sync(unsigned mask, type value, int* is_same) {          \
    return cudalab_match_all(mask, __builtin_bit_cast(bits, value), is_same);                  \
  }
CUDALAB_MATCH(int, unsigned)
CUDALAB_MATCH(unsigned, unsigned)
CUDALAB_MATCH(float, unsigned)
CUDALAB_MATCH(long, unsigned long long)
CUDALAB_MATCH(unsigned long, unsigned long long)
CUDALAB_MATCH(long long, unsigned long long)
CUDALAB_MATCH(unsigned long long, unsigned long long)
CUDALAB_MATCH(double, unsigned long long)
#undef CUDALAB_MATCH

// ---- reductions: compute capability 8.0 --------------------------------------------------------------
#define CUDALAB_REDUCE(name, operation, type, suffix)                                                 \
  CUDALAB_DEVICE type name(unsigned mask, type value) {                                               \
    type result;                                                                                      \
    asm volatile("redux.sync." operation "." suffix " %0, %1, %2;"                                    \
                 : "=r"(result)                                                                       \
                 : "r"(value), "r"(mask)                                                              \
                 : "memory");                                                                         \
    return result;                                                                                    \
  }
CUDALAB_REDUCE(__reduce_add_sync, "add", unsigned, "u32")
CUDALAB_REDUCE(__reduce_add_sync, "add", int, "s32")
CUDALAB_REDUCE(__reduce_min_sync, "min", unsigned, "u32")
CUDALAB_REDUCE(__reduce_min_sync, "min", int, "s32")
CUDALAB_REDUCE(__reduce_max_sync, "max", unsigned, "u32")
CUDALAB_REDUCE(__reduce_max_sync, "max", int, "s32")
CUDALAB_REDUCE(__reduce_and_sync, "and", unsigned, "b32")
CUDALAB_REDUCE(__reduce_or_sync, "or", unsigned, "b32")
CUDALAB_REDUCE(__reduce_xor_sync, "xor", unsigned, "b32")
#undef CUDALAB_REDUCE
