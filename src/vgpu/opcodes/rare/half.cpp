// Rare instructions on f16 and bf16: comparison, and arithmetic with modifiers.
#include "vgpu/opcodes/half.h"

namespace cudalab::vgpu::CUDALAB_LEVEL {

// Comparison of f16 and bf16, one or two in a register (PTX ISA, "Half Precision Comparison Instructions").

namespace {

// The possible relations of two numbers; a comparison is the set of relations for which it holds.
enum Case : std::uint8_t { kLess = 1, kEqual = 2, kGreater = 4, kUnordered = 8 };

template <class T, bool Flush>
std::uint8_t case_of(T a, T b) {
  const float x = widen(Flush ? flush(a) : a), y = widen(Flush ? flush(b) : b);
  return x < y ? kLess : x == y ? kEqual : x > y ? kGreater : kUnordered;
}
template <class T, bool Flush, int Count>
[[gnu::noinline]] void find_cases(const T* a, const T* b, std::uint8_t* to) {
#pragma omp simd
  for (int i = 0; i < Count; ++i) to[i] = case_of<T, Flush>(a[i], b[i]);
}

// Common parts of the handlers below: the type, .ftz, and the relations that satisfy the comparison.
template <Type T, Type Pair, bool Flush, int Cases>
struct Comparison {
  using L = Lane<T>;
  template <int Count>
  static void find(const Inst* inst, const Warp& warp, std::uint8_t* holds) {
    alignas(64) std::uint8_t cases[Count];
    find_cases<L, Flush, Count>(at<const L>(warp, inst->a), at<const L>(warp, inst->b), cases);
    for (int i = 0; i < Count; ++i) holds[i] = cases[i] & Cases ? 1 : 0;
  }

  static const Inst* setp(const Inst* inst, Warp& warp) {
    alignas(64) std::uint8_t holds[kWarpSize];
    find<kWarpSize>(inst, warp, holds);
    const std::uint32_t value = pack_bits(holds);
    return set_predicates(inst, warp, value, ~value);
  }

  static const Inst* setp_pairs(const Inst* inst, Warp& warp) {
    alignas(64) std::uint8_t holds[kPairedLanes], low[kWarpSize], high[kWarpSize];
    find<kPairedLanes>(inst, warp, holds);
    for (int lane = 0; lane < kWarpSize; ++lane)
      low[lane] = holds[2 * lane], high[lane] = holds[2 * lane + 1];
    return set_predicates(inst, warp, pack_bits(low), pack_bits(high));
  }

  // set: `Yes` in each half that satisfies the comparison, else 0.
  template <std::uint16_t Yes>
  static const Inst* set_pairs(const Inst* inst, Warp& warp) {
    alignas(64) std::uint8_t holds[kPairedLanes];
    alignas(64) std::uint32_t out[kWarpSize];
    find<kPairedLanes>(inst, warp, holds);
    for (int lane = 0; lane < kWarpSize; ++lane)
      out[lane] = (holds[2 * lane] ? Yes : 0u) | (holds[2 * lane + 1] ? Yes : 0u) << 16;
    blend(at<std::uint32_t>(warp, inst->d), out, warp.exec);
    return inst + 1;
  }

  static void add(OpcodeTable& table, const std::string& comparison) {
    const std::string name = comparison + (Flush ? ".ftz" : ""), pair = with_type("", Pair);
    constexpr std::uint16_t kOne = T == kF16 ? 0x3c00 : 0x3f80;
    table.add("setp" + name + with_type("", T), Shape::kCompare, kPred, 2, {T, T}, &setp);
    table.add("setp" + name + pair, Shape::kComparePairs, kPred, 2, {Pair, Pair}, &setp_pairs);
    table.add("set" + name + pair + pair, Shape::kLanewise, Pair, 2, {Pair, Pair}, &set_pairs<kOne>);
    for (const Type mask : {kU32, kS32})
      table.add("set" + name + with_type("", mask) + pair, Shape::kLanewise, mask, 2, {Pair, Pair},
                &set_pairs<0xffff>);
  }
};

template <int Cases>
void rows(OpcodeTable& table, const std::string& comparison) {
  Comparison<kF16, kF16x2, false, Cases>::add(table, comparison);
  Comparison<kF16, kF16x2, true, Cases>::add(table, comparison);
  Comparison<kBF16, kBF16x2, false, Cases>::add(table, comparison);
}

}  // namespace

void add_half_compare_rows(OpcodeTable& table) {
  rows<kEqual>(table, ".eq");
  rows<kLess | kGreater>(table, ".ne");
  rows<kLess>(table, ".lt");
  rows<kLess | kEqual>(table, ".le");
  rows<kGreater>(table, ".gt");
  rows<kGreater | kEqual>(table, ".ge");
  rows<kUnordered | kEqual>(table, ".equ");
  rows<kUnordered | kLess | kGreater>(table, ".neu");
  rows<kUnordered | kLess>(table, ".ltu");
  rows<kUnordered | kLess | kEqual>(table, ".leu");
  rows<kUnordered | kGreater>(table, ".gtu");
  rows<kUnordered | kGreater | kEqual>(table, ".geu");
  rows<kLess | kEqual | kGreater>(table, ".num");
  rows<kUnordered>(table, ".nan");
}

// Arithmetic on f16 and bf16 with modifiers: .sat, .ftz, .relu, .NaN, .xorsign.abs (PTX ISA, "Half Precision
// Floating-Point Instructions").

namespace {

// ---- arithmetic --------------------------------------------------------------------------------------
template <int N, class F>
void rows(OpcodeTable& table, const std::string& name, F) {
  both<kF16, N>(table, name + ".sat", [](auto... x) { return nearest<Half>(saturate(F{}(x...))); });
  both<kF16, N>(table, name + ".ftz", [](auto... x) { return flush(nearest<Half>(F{}(flush(x)...))); });
  both<kF16, N>(table, name + ".ftz.sat",
                [](auto... x) { return flush(nearest<Half>(saturate(F{}(flush(x)...)))); });
}

void add_fma_rows(OpcodeTable& table) {
  rows<3>(table, "fma.rn", Fma{});
  both<kF16, 3>(table, "fma.rn.relu", [](auto... x) { return nearest<Half>(rectify(Fma{}(x...))); });
  both<kF16, 3>(table, "fma.rn.ftz.relu",
                [](auto... x) { return flush(nearest<Half>(rectify(Fma{}(flush(x)...)))); });
  both<kBF16, 3>(table, "fma.rn.relu", [](auto... x) { return nearest<Brain>(rectify(Fma{}(x...))); });
}

// ---- minimum and maximum -----------------------------------------------------------------------------
template <class F>
struct OfMagnitudes {  // .xorsign.abs
  template <class T>
  T operator()(T a, T b) const {
    const T chosen = F{}(magnitude(a), magnitude(b));
    return one_nan(T{static_cast<std::uint16_t>(chosen.bits | ((a.bits ^ b.bits) & 0x8000))});
  }
};

template <class F>
void flushed_row(OpcodeTable& table, const std::string& name, const std::string& modifiers, F) {
  both<kF16, 2>(table, name + ".ftz" + modifiers, [](auto a, auto b) { return F{}(flush(a), flush(b)); });
}
template <class F>
void extreme_row(OpcodeTable& table, const std::string& name, const std::string& modifiers, F f) {
  both<kF16, 2>(table, name + modifiers, f);
  both<kBF16, 2>(table, name + modifiers, f);
  flushed_row(table, name, modifiers, f);
}
template <bool Min>
void extreme_rows(OpcodeTable& table, const std::string& name) {
  flushed_row(table, name, "", Extreme<Min, false>{});
  extreme_row(table, name, ".NaN", Extreme<Min, true>{});
  extreme_row(table, name, ".xorsign.abs", OfMagnitudes<Extreme<Min, false>>{});
  extreme_row(table, name, ".NaN.xorsign.abs", OfMagnitudes<Extreme<Min, true>>{});
}

}  // namespace

void add_half_modified_rows(OpcodeTable& table) {
  for_each_of_two([&](const char* name, auto f) { rows<2>(table, name, f); });
  add_fma_rows(table);
  both<kF16, 1>(table, "neg.ftz", [](auto a) { return negated(flush(a)); });
  both<kF16, 1>(table, "abs.ftz", [](auto a) { return magnitude(flush(a)); });
  extreme_rows<true>(table, "min");
  extreme_rows<false>(table, "max");
}

}  // namespace cudalab::vgpu::CUDALAB_LEVEL
