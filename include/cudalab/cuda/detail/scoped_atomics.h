// The instructions behind cuda::atomic: loads, stores, fences and read-modify-writes with a memory order and a scope,
// as the PTX ISA ("Memory Consistency Model") and the libcu++ documentation describe them.
#pragma once

#include "../cuda_runtime.h"

#include <type_traits>

namespace cuda {
namespace std {

enum class memory_order : int { relaxed, consume, acquire, release, acq_rel, seq_cst };
inline constexpr memory_order memory_order_relaxed = memory_order::relaxed;
inline constexpr memory_order memory_order_consume = memory_order::consume;
inline constexpr memory_order memory_order_acquire = memory_order::acquire;
inline constexpr memory_order memory_order_release = memory_order::release;
inline constexpr memory_order memory_order_acq_rel = memory_order::acq_rel;
inline constexpr memory_order memory_order_seq_cst = memory_order::seq_cst;

}  // namespace std

enum thread_scope { thread_scope_system, thread_scope_device, thread_scope_block, thread_scope_thread = 10 };

using std::memory_order;
using std::memory_order_acq_rel;
using std::memory_order_acquire;
using std::memory_order_consume;
using std::memory_order_relaxed;
using std::memory_order_release;
using std::memory_order_seq_cst;

namespace detail {

// The unsigned type with as many bits as T.
template <unsigned Bytes>
struct bits_of_size;
template <>
struct bits_of_size<1> {
  typedef unsigned char type;
};
template <>
struct bits_of_size<2> {
  typedef unsigned short type;
};
template <>
struct bits_of_size<4> {
  typedef unsigned int type;
};
template <>
struct bits_of_size<8> {
  typedef unsigned long long type;
};
template <class T>
using bits_of = typename bits_of_size<sizeof(T)>::type;

// ---- the device ----------------------------------------------------------------------------------------

// An instruction with the semantics of a constant `order`, which becomes one of these at compile time.
#define CUDALAB_ORDERED(begin, end, ...)                                                       \
  switch (order) {                                                                             \
    case memory_order::relaxed: asm volatile(begin ".relaxed" end : __VA_ARGS__); break;       \
    case memory_order::release: asm volatile(begin ".release" end : __VA_ARGS__); break;       \
    case memory_order::acq_rel: asm volatile(begin ".acq_rel" end : __VA_ARGS__); break;       \
    default: asm volatile(begin ".acquire" end : __VA_ARGS__);                                 \
  }

// fetch_OP for a type; `letter` is the constraint of its registers.
#define CUDALAB_FETCH(scope, name, instruction, type, letter)                                  \
  CUDALAB_STATIC_MEMBER type name(type* p, type value, memory_order order) {                   \
    type before;                                                                               \
    CUDALAB_ORDERED("atom", "." scope "." instruction " %0, [%1], %2;",                        \
                    "=" letter(before) : "l"(p), letter(value) : "memory")                     \
    return before;                                                                             \
  }
#define CUDALAB_FETCH_INTEGERS(scope, name, instruction)                                       \
  CUDALAB_FETCH(scope, name, instruction ".s32", int, "r")                                     \
  CUDALAB_FETCH(scope, name, instruction ".u32", unsigned, "r")                                \
  CUDALAB_FETCH(scope, name, instruction ".s64", long long, "l")                               \
  CUDALAB_FETCH(scope, name, instruction ".u64", unsigned long long, "l")
#define CUDALAB_FETCH_BITS(scope, name, instruction)                                           \
  CUDALAB_FETCH(scope, name, instruction ".b32", unsigned, "r")                                \
  CUDALAB_FETCH(scope, name, instruction ".b64", unsigned long long, "l")

#define CUDALAB_WORD(scope, type, suffix, letter)                                                           \
  CUDALAB_STATIC_MEMBER type load(const type* p, memory_order order) {                                      \
    type value;                                                                                             \
    if (order == memory_order::relaxed)                                                                     \
      asm volatile("ld.relaxed." scope "." suffix " %0, [%1];" : "=" letter(value) : "l"(p) : "memory");    \
    else                                                                                                    \
      asm volatile("ld.acquire." scope "." suffix " %0, [%1];" : "=" letter(value) : "l"(p) : "memory");    \
    return value;                                                                                           \
  }                                                                                                         \
  CUDALAB_STATIC_MEMBER void store(type* p, type value, memory_order order) {                               \
    if (order == memory_order::release)                                                                     \
      asm volatile("st.release." scope "." suffix " [%0], %1;" ::"l"(p), letter(value) : "memory");         \
    else                                                                                                    \
      asm volatile("st.relaxed." scope "." suffix " [%0], %1;" ::"l"(p), letter(value) : "memory");         \
  }
#define CUDALAB_EXCHANGES(scope, type, suffix, letter)                                          \
  CUDALAB_FETCH(scope, exchange, "exch." suffix, type, letter)                                  \
  CUDALAB_STATIC_MEMBER type compare_exchange(type* p, type expected, type value, memory_order order) { \
    type before;                                                                                \
    CUDALAB_ORDERED("atom", "." scope ".cas." suffix " %0, [%1], %2, %3;",                      \
                    "=" letter(before) : "l"(p), letter(expected), letter(value) : "memory")    \
    return before;                                                                              \
  }

template <thread_scope Scope>
struct instructions;

#define CUDALAB_INSTRUCTIONS(kind, scope)                                                     \
  template <>                                                                                 \
  struct instructions<kind> {                                                                 \
    CUDALAB_WORD(scope, unsigned char, "u8", "h")                                             \
    CUDALAB_WORD(scope, unsigned short, "u16", "h")                                           \
    CUDALAB_WORD(scope, unsigned, "u32", "r")                                                 \
    CUDALAB_WORD(scope, unsigned long long, "u64", "l")                                       \
    CUDALAB_EXCHANGES(scope, unsigned, "b32", "r")                                            \
    CUDALAB_EXCHANGES(scope, unsigned long long, "b64", "l")                                  \
    CUDALAB_FETCH(scope, add, "add.u32", unsigned, "r")                                       \
    CUDALAB_FETCH(scope, add, "add.u64", unsigned long long, "l")                             \
    CUDALAB_FETCH(scope, add, "add.f32", float, "f")                                          \
    CUDALAB_FETCH(scope, add, "add.f64", double, "d")                                         \
    CUDALAB_FETCH_INTEGERS(scope, min, "min")                                                 \
    CUDALAB_FETCH_INTEGERS(scope, max, "max")                                                 \
    CUDALAB_FETCH_BITS(scope, bit_and, "and")                                                 \
    CUDALAB_FETCH_BITS(scope, bit_or, "or")                                                   \
    CUDALAB_FETCH_BITS(scope, bit_xor, "xor")                                                 \
    CUDALAB_STATIC_MEMBER void fence_of_all() { asm volatile("fence.sc." scope ";" ::: "memory"); } \
    CUDALAB_STATIC_MEMBER void fence() { asm volatile("fence.acq_rel." scope ";" ::: "memory"); }   \
  };
#ifdef __CUDA_ARCH__
CUDALAB_INSTRUCTIONS(thread_scope_block, "cta")
CUDALAB_INSTRUCTIONS(thread_scope_device, "gpu")
CUDALAB_INSTRUCTIONS(thread_scope_system, "sys")
template <>
struct instructions<thread_scope_thread> : instructions<thread_scope_block> {};
#endif
#undef CUDALAB_INSTRUCTIONS
#undef CUDALAB_EXCHANGES
#undef CUDALAB_WORD
#undef CUDALAB_FETCH_BITS
#undef CUDALAB_FETCH_INTEGERS
#undef CUDALAB_FETCH
#undef CUDALAB_ORDERED

// The operation of an instruction of 32 or 64 bits, where there is one; else a loop of compare-and-swap.
enum class operation { add, min, max, bit_and, bit_or, bit_xor };

template <class T>
CUDALAB_INLINE T result_of(operation what, T a, T b) {
  if constexpr (::std::is_integral_v<T>) {
    if (what == operation::bit_and) return a & b;
    if (what == operation::bit_or) return a | b;
    if (what == operation::bit_xor) return a ^ b;
  }
  if (what == operation::min) return b < a ? b : a;
  if (what == operation::max) return a < b ? b : a;
  return a + b;
}

// An integral type as min and max compare it.
template <unsigned Bytes, bool IsSigned>
struct ordered_type {
  typedef typename bits_of_size<Bytes>::type type;
};
template <>
struct ordered_type<4, true> {
  typedef int type;
};
template <>
struct ordered_type<8, true> {
  typedef long long type;
};

// ---- host and device -----------------------------------------------------------------------------------

// Atomic operations on a T of 1, 2, 4 or 8 bytes in memory.
template <class T, thread_scope Scope>
struct operations {
  static_assert(sizeof(T) == 1 || sizeof(T) == 2 || sizeof(T) == 4 || sizeof(T) == 8,
                "an atomic type has 1, 2, 4 or 8 bytes");
  typedef bits_of<T> bits;

  CUDALAB_STATIC_MEMBER bits of(T value) { return __builtin_bit_cast(bits, value); }

#ifdef __CUDA_ARCH__
  typedef instructions<Scope> device;

  CUDALAB_STATIC_MEMBER void begin(memory_order order) {
    if (order == memory_order::seq_cst) device::fence_of_all();
  }
  CUDALAB_STATIC_MEMBER T load(const T* p, memory_order order) {
    begin(order);
    return __builtin_bit_cast(T, device::load((const bits*)p, order));
  }
  CUDALAB_STATIC_MEMBER void store(T* p, T value, memory_order order) {
    begin(order);
    device::store((bits*)p, of(value), order);
  }
  CUDALAB_STATIC_MEMBER T exchange(T* p, T value, memory_order order) {
    begin(order);
    if constexpr (sizeof(T) >= 4) return __builtin_bit_cast(T, device::exchange((bits*)p, of(value), order));
    T before = load(p, memory_order::relaxed);
    while (!compare_exchange(p, before, value, order)) {
    }
    return before;
  }
  CUDALAB_STATIC_MEMBER bool compare_exchange(T* p, T& expected, T value, memory_order order) {
    begin(order);
    const bits before = swapped(p, of(expected), of(value), order);
    const bool is_equal = before == of(expected);
    expected = __builtin_bit_cast(T, before);
    return is_equal;
  }
  template <operation What>
  CUDALAB_STATIC_MEMBER T fetch(T* p, T value, memory_order order) {
    begin(order);
    if constexpr (has_instruction(What)) {
      return fetched<What>(p, value, order);
    } else {
      T before = load(p, memory_order::relaxed);
      while (!compare_exchange(p, before, result_of(What, before, value), order)) {
      }
      return before;
    }
  }

 private:
  CUDALAB_STATIC_MEMBER constexpr bool has_instruction(operation what) {
    return sizeof(T) >= 4 && (::std::is_integral_v<T> || (::std::is_floating_point_v<T> && what == operation::add));
  }
  template <operation What>
  CUDALAB_STATIC_MEMBER T fetched(T* p, T value, memory_order order) {
    if constexpr (::std::is_floating_point_v<T>) return device::add(p, value, order);
    if constexpr (::std::is_integral_v<T>) {
      typedef typename ordered_type<sizeof(T), ::std::is_signed_v<T>>::type ordered;
      if constexpr (What == operation::add) return (T)device::add((bits*)p, (bits)value, order);
      if constexpr (What == operation::min) return (T)device::min((ordered*)p, (ordered)value, order);
      if constexpr (What == operation::max) return (T)device::max((ordered*)p, (ordered)value, order);
      if constexpr (What == operation::bit_and) return (T)device::bit_and((bits*)p, (bits)value, order);
      if constexpr (What == operation::bit_or) return (T)device::bit_or((bits*)p, (bits)value, order);
      if constexpr (What == operation::bit_xor) return (T)device::bit_xor((bits*)p, (bits)value, order);
    }
  }
  // Returns the value before. Bytes and half-words are swapped within their word.
  CUDALAB_STATIC_MEMBER bits swapped(T* p, bits expected, bits value, memory_order order) {
    if constexpr (sizeof(T) >= 4) {
      return device::compare_exchange((bits*)p, expected, value, order);
    } else {
      unsigned* const word = (unsigned*)((unsigned long long)p & ~3ull);
      const unsigned shift = (unsigned)((unsigned long long)p & 3) * 8, ones = ((1u << 8 * sizeof(T)) - 1) << shift;
      unsigned seen = device::load(word, memory_order::relaxed);
      while ((bits)(seen >> shift) == expected) {
        const unsigned wanted = (seen & ~ones) | (unsigned)value << shift;
        const unsigned before = device::compare_exchange(word, seen, wanted, order);
        if (before == seen) return expected;
        seen = before;
      }
      return (bits)(seen >> shift);
    }
  }
#else
  static T load(const T* p, memory_order) {
    return __builtin_bit_cast(T, __atomic_load_n((const bits*)p, __ATOMIC_SEQ_CST));
  }
  static void store(T* p, T value, memory_order) {
    __atomic_store_n((bits*)p, __builtin_bit_cast(bits, value), __ATOMIC_SEQ_CST);
  }
  static T exchange(T* p, T value, memory_order) {
    return __builtin_bit_cast(
        T, __atomic_exchange_n((bits*)p, __builtin_bit_cast(bits, value), __ATOMIC_SEQ_CST));
  }
  static bool compare_exchange(T* p, T& expected, T value, memory_order) {
    return __atomic_compare_exchange_n((bits*)p, (bits*)&expected, __builtin_bit_cast(bits, value), false,
                                       __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
  }
  template <operation What>
  static T fetch(T* p, T value, memory_order order) {
    T before = load(p, order);
    while (!compare_exchange(p, before, result_of(What, before, value), order)) {
    }
    return before;
  }
#endif
};

}  // namespace detail
}  // namespace cuda
