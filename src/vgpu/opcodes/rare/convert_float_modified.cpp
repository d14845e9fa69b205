// Conversions between floating-point types that saturate, flush, rectify, pack, or round in a direction (PTX
// ISA, "cvt").
#include "vgpu/opcodes/conversions/convert_float.h"

namespace cudalab::vgpu::CUDALAB_LEVEL {
namespace {

// ---- to a wider type, or the same --------------------------------------------------------------------
template <Type To, Type From>
void widening(OpcodeTable& table) {
  using F = Widen<To, From>;
  if constexpr (From != kBF16)
    row<To, From>(table, cvt(".sat", To, From), [](auto a) { return saturate(F{}(a)); });
  if constexpr (From == kF32)
    row<To, From>(table, cvt(".ftz.sat", To, From), [](auto a) { return saturate(F{}(flush(a))); });
  if constexpr (To == kF32 && From != kF32)
    row<To, From>(table, cvt(".ftz", To, From), [](auto a) { return one_nan(flush(F{}(a))); });
  if constexpr (To == kF32 && From == kF16)
    row<To, From>(table, cvt(".ftz.sat", To, From), [](auto a) { return saturate(flush(F{}(a))); });
}

// ---- to whole numbers --------------------------------------------------------------------------------
template <Rounding R>
void whole(OpcodeTable& table) {
  const std::string mode = integral_suffix(R);
  row<kF32, kF32>(table, cvt(mode + ".sat", kF32, kF32), [](auto a) { return saturate(integral<R>(a)); });
  row<kF32, kF32>(table, cvt(mode + ".ftz.sat", kF32, kF32),
                  [](auto a) { return saturate(integral<R>(flush(a))); });
  row<kF64, kF64>(table, cvt(mode + ".sat", kF64, kF64), [](auto a) { return saturate(integral<R>(a)); });
  row<kF16, kF16>(table, cvt(mode, kF16, kF16), [](auto a) { return nearest<Half>(integral<R>(widen(a))); });
  row<kF16, kF16>(table, cvt(mode + ".sat", kF16, kF16),
                  [](auto a) { return nearest<Half>(saturate(integral<R>(widen(a)))); });
  row<kBF16, kBF16>(table, cvt(mode, kBF16, kBF16),
                    [](auto a) { return nearest<Brain>(integral<R>(widen(a))); });
}

// ---- to a narrower type ------------------------------------------------------------------------------
template <Rounding R>
[[gnu::noinline]] float rounded_or_zero(double a) {
  return to_single_or_zero<R>(a);
}

template <Rounding R, Type To, Type From>
void narrowing(OpcodeTable& table) {
  const std::string mode = suffix(R);
  constexpr bool kIsCommon = R == Rounding::kNearest && From == kF32;  // convert_float.level.cpp has it
  if constexpr (!kIsCommon)
    row<To, From>(table, cvt(mode, To, From), [](auto a) { return rounded<R, To>(value(a)); });
  if constexpr (To != kBF16 && From != kBF16)
    row<To, From>(table, cvt(mode + ".sat", To, From),
                  [](auto a) { return rounded<R, To>(saturate(value(a))); });
}

template <Rounding R>
void narrowing_in(OpcodeTable& table) {
  const std::string mode = suffix(R);
  if constexpr (R != Rounding::kNearest)
    row<kF32, kF64>(table, cvt(mode, kF32, kF64), [](auto a) { return rounded<R, kF32>(a); });
  row<kF32, kF64>(table, cvt(mode + ".sat", kF32, kF64),
                  [](auto a) { return saturate(rounded<R, kF32>(a)); });
  row<kF32, kF64>(table, cvt(mode + ".ftz", kF32, kF64), [](auto a) { return rounded_or_zero<R>(a); });
  row<kF32, kF64>(table, cvt(mode + ".ftz.sat", kF32, kF64),
                  [](auto a) { return saturate(rounded_or_zero<R>(a)); });
  narrowing<R, kF16, kF32>(table);
  narrowing<R, kF16, kF64>(table);
  narrowing<R, kF16, kBF16>(table);
  narrowing<R, kBF16, kF32>(table);
  narrowing<R, kBF16, kF64>(table);
  narrowing<R, kBF16, kF16>(table);
  // .ftz changes nothing here: the card does not flush the source.
  row<kF16, kF32>(table, cvt(mode + ".ftz", kF16, kF32), [](auto a) { return rounded<R, kF16>(a); });
  row<kF16, kF32>(table, cvt(mode + ".ftz.sat", kF16, kF32),
                  [](auto a) { return rounded<R, kF16>(saturate(a)); });
}

// Two f32 into the halves of a register, the first into the upper; and the .relu forms of one.
template <Rounding R, Type To, Type Pair>
void pairs(OpcodeTable& table) {
  constexpr auto kJoin = [](float high, float low) {
    return std::uint32_t{rounded<R, To>(high).bits} << 16 | rounded<R, To>(low).bits;
  };
  const std::string mode = suffix(R), types = with_type("", Pair) + ".f32";
  row<kB32, kF32, kF32>(table, "cvt" + mode + types, kJoin);
  row<kB32, kF32, kF32>(table, "cvt" + mode + ".relu" + types,
                        [](float a, float b) { return decltype(kJoin){}(rectify(a), rectify(b)); });
  row<To, kF32>(table, cvt(mode + ".relu", To, kF32), [](float a) { return rounded<R, To>(rectify(a)); });
}

// ---- tf32: an f32 of which the last 13 bits are zero -------------------------------------------------
constexpr std::uint32_t kTf32Ulp = 1u << 13;
constexpr auto kTiesAway = [](std::uint32_t bits) { return bits + kTf32Ulp / 2; };
constexpr auto kTiesToEven = [](std::uint32_t bits) { return bits + kTf32Ulp / 2 - 1 + (bits >> 13 & 1); };
constexpr auto kCut = [](std::uint32_t bits) { return bits; };
constexpr auto kAsItIs = [](float a) { return a; };
constexpr auto kOneNan = [](float a) { return one_nan(a); };
constexpr auto kRectified = [](float a) { return one_nan(rectify(a)); };

// Infinities and NaNs are not rounded, only cut.
template <class Prepare, class Round>
void tf32_row(OpcodeTable& table, const char* opcode, Prepare, Round) {
  row<kB32, kF32>(table, opcode, [](float a) {
    const float prepared = Prepare{}(a);
    const bool is_number = std::fabs(prepared) < std::numeric_limits<float>::infinity();
    return (is_number ? Round{}(bits_of(prepared)) : bits_of(prepared)) & ~(kTf32Ulp - 1);
  });
}

void add_tf32_rows(OpcodeTable& table) {
  tf32_row(table, "cvt.rna.tf32.f32", kAsItIs, kTiesAway);
  tf32_row(table, "cvt.rn.tf32.f32", kOneNan, kTiesToEven);
  tf32_row(table, "cvt.rz.tf32.f32", kOneNan, kCut);
  tf32_row(table, "cvt.rn.relu.tf32.f32", kRectified, kTiesToEven);
  tf32_row(table, "cvt.rz.relu.tf32.f32", kRectified, kCut);
}

}  // namespace

void add_convert_float_modified_rows(OpcodeTable& table) {
  for_each_widening([&]<Type To, Type From>() { widening<To, From>(table); });
  for_each_rounding([&]<Rounding R>() { whole<R>(table); });
  for_each_rounding([&]<Rounding R>() { narrowing_in<R>(table); });
  pairs<Rounding::kNearest, kF16, kF16x2>(table);
  pairs<Rounding::kZero, kF16, kF16x2>(table);
  pairs<Rounding::kNearest, kBF16, kBF16x2>(table);
  pairs<Rounding::kZero, kBF16, kBF16x2>(table);
  add_tf32_rows(table);
}

}  // namespace cudalab::vgpu::CUDALAB_LEVEL
