// Loops over the 32 lanes of a warp, or its 64 half-registers, as templates over a function of one element.
// Include only in sources compiled per level.
#pragma once

#include <cstring>
#include <string>
#include <type_traits>

#include "vgpu/memory/host_intrinsics.h"
#include "vgpu/opcodes/table.h"
#include "vgpu/warp.h"

namespace cudalab::vgpu::CUDALAB_LEVEL {

// The loops over a warp's 32 lanes, as templates over a function of one lane. Included only by *.level.cpp,
// which are compiled once per instruction-set level, and by opcodes/rare/*.cpp, which are compiled once for
// all levels. Everything is in an unnamed namespace, because two levels must never share a function.
//
// A row of the table reads
//     op<2>(table, kInts, "add", [](auto a, auto b) { return wrap(a) + b; });
// for every type of a list, or, if operand types differ,
//     row<kU64, kU32, kU32>(table, "mul.wide.u32", [](auto a, auto b) { return std::uint64_t{a} * b; });

namespace {

using ptx::Type;
using enum ptx::Type;

// ---- from PTX types to C++ types ---------------------------------------------------------------------
template <Type>
struct LaneOf;
template <>
struct LaneOf<kB8> {
  using type = std::uint8_t;
};
template <>
struct LaneOf<kU8> {
  using type = std::uint8_t;
};
template <>
struct LaneOf<kS8> {
  using type = std::int8_t;
};
template <>
struct LaneOf<kB16> {
  using type = std::uint16_t;
};
template <>
struct LaneOf<kU16> {
  using type = std::uint16_t;
};
template <>
struct LaneOf<kS16> {
  using type = std::int16_t;
};
template <>
struct LaneOf<kB32> {
  using type = std::uint32_t;
};
template <>
struct LaneOf<kU32> {
  using type = std::uint32_t;
};
template <>
struct LaneOf<kS32> {
  using type = std::int32_t;
};
template <>
struct LaneOf<kB64> {
  using type = std::uint64_t;
};
template <>
struct LaneOf<kU64> {
  using type = std::uint64_t;
};
template <>
struct LaneOf<kS64> {
  using type = std::int64_t;
};
template <>
struct LaneOf<kF32> {
  using type = float;
};
template <>
struct LaneOf<kF64> {
  using type = double;
};
template <>
struct LaneOf<kPred> {
  using type = bool;
};
template <Type T>
using Lane = typename LaneOf<T>::type;

template <Type... T>
struct Types {};
inline constexpr Types<kU16, kS16, kU32, kS32, kU64, kS64> kInts;
inline constexpr Types<kS16, kS32, kS64> kSigned;
inline constexpr Types<kU16, kU32, kU64> kUnsigned;
inline constexpr Types<kB16, kB32, kB64> kBits;
inline constexpr Types<kF32, kF64> kFloats;

// ---- access to operands ------------------------------------------------------------------------------
template <class T>
T* at(const Warp& warp, Slot slot) {
  return lanes_at<T>(warp, slot);
}
inline std::uint32_t& mask_at(const Warp& warp, Slot slot) { return *at<std::uint32_t>(warp, slot); }

// A predicate's lanes, one bit each.
struct MaskLanes {
  std::uint32_t mask;
  bool operator[](int lane) const { return mask >> lane & 1; }
};

template <Type T>
auto source(const Warp& warp, Slot slot) {
  if constexpr (T == kPred)
    return MaskLanes{mask_at(warp, slot)};
  else
    return at<const Lane<T>>(warp, slot);
}

template <int Index>
Slot source_slot(const Inst* inst) {
  if constexpr (Index == 0) return inst->a;
  if constexpr (Index == 1) return inst->b;
  if constexpr (Index == 2) return inst->c;
  if constexpr (Index == 3) return inst->e;
}

// ---- writing results ---------------------------------------------------------------------------------
template <class T>
[[gnu::noinline]] void blend_by_lane(T* to, const T* from, std::uint32_t mask) {
#pragma omp simd
  for (int lane = 0; lane < kWarpSize; ++lane) to[lane] = (mask >> lane & 1) ? from[lane] : to[lane];
}

#ifdef __AVX512BW__
// Stores whole rows: a masked store would stall the next instruction, which reads all lanes.
template <class T>
inline void blend_by_row(T* to, const T* from, std::uint32_t mask) {
  constexpr int kRow = 64 / sizeof(T);
  for (int first = 0; first < kWarpSize; first += kRow) {
    __m512i row = _mm512_loadu_si512(to + first);
    if constexpr (sizeof(T) == 2) row = _mm512_mask_loadu_epi16(row, mask, from);
    if constexpr (sizeof(T) == 4)
      row = _mm512_mask_loadu_epi32(row, static_cast<__mmask16>(mask >> first), from + first);
    if constexpr (sizeof(T) == 8)
      row = _mm512_mask_loadu_epi64(row, static_cast<__mmask8>(mask >> first), from + first);
    _mm512_storeu_si512(to + first, row);
  }
}
#endif

// Keeps the old value in inactive lanes.
template <class T>
inline void blend(T* to, const T* from, std::uint32_t mask) {
#ifdef __AVX512BW__
  if constexpr (sizeof(T) == 2 || sizeof(T) == 4 || sizeof(T) == 8) return blend_by_row(to, from, mask);
#endif
  blend_by_lane(to, from, mask);
}

// One bit per lane from one byte per lane (0 or 1).
inline std::uint32_t pack_bits(const std::uint8_t* bytes) {
  std::uint32_t mask = 0;
  for (int group = 0; group < 4; ++group) {
    std::uint64_t eight;
    std::memcpy(&eight, bytes + 8 * group, 8);
    // Multiplying gathers the low bit of each byte into the top byte.
    mask |= static_cast<std::uint32_t>((eight * 0x0102040810204080ull) >> 56) << (8 * group);
  }
  return mask;
}

inline void write_mask(std::uint32_t& to, std::uint32_t value, std::uint32_t mask) {
  to = (to & ~mask) | (value & mask);
}

// ---- the loops ---------------------------------------------------------------------------------------
template <class F, Type R, Type... A>
struct Lanewise {
  template <class... S>
  static void compute(Lane<R>* d, S... sources) {
#pragma omp simd
    for (int lane = 0; lane < kWarpSize; ++lane) d[lane] = static_cast<Lane<R>>(F{}(sources[lane]...));
  }

  template <std::size_t... I>
  static void all(const Inst* inst, Warp& warp, std::index_sequence<I...>) {
    if constexpr (R == kPred) {
      alignas(64) std::uint8_t bits[kWarpSize];
      compute_bits(bits, source<A>(warp, source_slot<I>(inst))...);
      write_mask(mask_at(warp, inst->d), pack_bits(bits), warp.exec);
    } else {
      // One loop for both cases, because the loop is most of a row's compile time.
      alignas(64) Lane<R> out[kWarpSize];
      Lane<R>* const d = at<Lane<R>>(warp, inst->d);
      const bool everywhere = warp.exec == kAllLanes;
      compute(everywhere ? d : out, source<A>(warp, source_slot<I>(inst))...);
      if (!everywhere) [[unlikely]]
        blend(d, out, warp.exec);
    }
  }

  template <class... S>
  static void compute_bits(std::uint8_t* d, S... sources) {
#pragma omp simd
    for (int lane = 0; lane < kWarpSize; ++lane) d[lane] = F{}(sources[lane]...) ? 1 : 0;
  }

  static const Inst* run(const Inst* inst, Warp& warp) {
    all(inst, warp, std::make_index_sequence<sizeof...(A)>{});
    return inst + 1;
  }
};

inline std::uint32_t combine(std::uint32_t value, std::uint32_t c, std::uint64_t how) {
  if (how & kNegateC) c = ~c;
  switch (how & 7) {
    case kAnd: return value & c;
    case kOr: return value | c;
    case kXor: return value ^ c;
    default: return value;
  }
}
inline std::uint32_t combined(const Inst* inst, const Warp& warp, std::uint32_t value) {
  return inst->imm == kPlain ? value : combine(value, mask_at(warp, inst->c), inst->imm);
}

// d from the bits of a comparison, d2 from other bits (for one number per register, their complement).
[[gnu::noinline, maybe_unused]] const Inst* set_predicates(const Inst* inst, Warp& warp, std::uint32_t bits,
                                                           std::uint32_t bits2) {
  const std::uint32_t d = combined(inst, warp, bits), d2 = combined(inst, warp, bits2);
  write_mask(mask_at(warp, inst->d), d, warp.exec);
  if (inst->d2.bits != 0) write_mask(mask_at(warp, inst->d2), d2, warp.exec);
  return inst + 1;
}

template <class F, Type A>
struct Compare {
  static std::uint32_t bits(const Inst* inst, const Warp& warp) {
    alignas(64) std::uint8_t bytes[kWarpSize];
    const auto a = source<A>(warp, inst->a), b = source<A>(warp, inst->b);
#pragma omp simd
    for (int lane = 0; lane < kWarpSize; ++lane) bytes[lane] = F{}(a[lane], b[lane]) ? 1 : 0;
    return pack_bits(bytes);
  }

  static const Inst* run(const Inst* inst, Warp& warp) {
    const std::uint32_t value = bits(inst, warp);
    return set_predicates(inst, warp, value, ~value);
  }
};

// ---- rows --------------------------------------------------------------------------------------------
[[gnu::noinline, maybe_unused]] std::string with_type(const char* name, Type type) {
  return std::string(name) + "." + std::string(ptx::info(type).name);
}

template <Type R, Type... A, class F>
void row(OpcodeTable& table, std::string_view opcode, F) {
  table.add(opcode, Shape::kLanewise, R, sizeof...(A), {A...}, &Lanewise<F, R, A...>::run);
}

template <int N, class F, Type... T>
void op(OpcodeTable& table, Types<T...>, const char* name, F f) {
  const auto one = [&]<Type X>() {
    if constexpr (N == 1) row<X, X>(table, with_type(name, X), f);
    if constexpr (N == 2) row<X, X, X>(table, with_type(name, X), f);
    if constexpr (N == 3) row<X, X, X, X>(table, with_type(name, X), f);
  };
  (one.template operator()<T>(), ...);
}

template <class F, Type... T>
void compare(OpcodeTable& table, Types<T...>, const char* name, F) {
  (table.add(with_type(name, T), Shape::kCompare, kPred, 2, {T, T}, &Compare<F, T>::run), ...);
}

// Loops over the two 16-bit numbers in each of a warp's 32-bit registers.

// A warp's register of 32 pairs is an array of 64 numbers, with the low half of lane 0 first.
inline constexpr int kPairedLanes = 2 * kWarpSize;

template <class F, class T, class... S>
void compute_pairs(std::uint32_t* pairs, const S*... sources) {
  alignas(64) T out[kPairedLanes];
#pragma omp simd
  for (int i = 0; i < kPairedLanes; ++i) out[i] = F{}(sources[i]...);
  std::memcpy(pairs, out, sizeof out);
}

// d = f(a, b, c) in both halves.
template <class F, class T, int Sources>
const Inst* on_pairs(const Inst* inst, Warp& warp) {
  alignas(64) std::uint32_t out[kWarpSize];
  const T *a = at<const T>(warp, inst->a), *b = at<const T>(warp, inst->b), *c = at<const T>(warp, inst->c);
  if constexpr (Sources == 1) compute_pairs<F, T>(out, a);
  if constexpr (Sources == 2) compute_pairs<F, T>(out, a, b);
  if constexpr (Sources == 3) compute_pairs<F, T>(out, a, b, c);
  blend(at<std::uint32_t>(warp, inst->d), out, warp.exec);
  return inst + 1;
}

template <class T, int Sources, class F>
void pair_row(OpcodeTable& table, std::string_view opcode, Type result, Type source, F) {
  table.add(opcode, Shape::kLanewise, result, Sources, {source, source, source}, &on_pairs<F, T, Sources>);
}

}  // namespace
}  // namespace cudalab::vgpu::CUDALAB_LEVEL
