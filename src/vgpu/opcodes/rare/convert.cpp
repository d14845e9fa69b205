// Rare conversions (PTX ISA, "cvt"): saturating, packing, directed rounding, narrow integers and 8-bit
// floats.
#include "vgpu/opcodes/convert.h"

namespace cudalab::vgpu::CUDALAB_LEVEL {

// Conversions from integers that saturate, pack, or round in a direction (PTX ISA, "Data Movement and
// Conversion Instructions: cvt").

namespace {

// ---- .sat: clamping to the type's range --------------------------------------------------------------
template <class To, class From>
To nearest_integer(From a) {
  using Limits = std::numeric_limits<To>;
  if (std::cmp_less(a, Limits::min())) return Limits::min();
  return std::cmp_greater(a, Limits::max()) ? Limits::max() : static_cast<To>(a);
}

template <class To, class From>
constexpr bool kHoldsAll = std::in_range<To>(std::numeric_limits<From>::min()) &&
                           std::in_range<To>(std::numeric_limits<From>::max());

template <Type To, Type From>
void saturating_row(OpcodeTable& table) {
  if constexpr (!kHoldsAll<Lane<To>, Lane<From>>)
    row<To, From>(table, cvt(".sat", To, From), [](auto a) { return nearest_integer<Lane<To>>(a); });
}

// ---- to floating point -------------------------------------------------------------------------------
// An integer of up to 64 bits as the sum of two doubles.
struct Parts {
  double high, low;
};
Parts parts(std::uint64_t a) {
  return {static_cast<double>(a >> 32) * 0x1p32, static_cast<double>(a & 0xffff'ffff)};
}
Parts parts(std::int64_t a) {
  return {static_cast<double>(a >> 32) * 0x1p32, static_cast<double>(a & 0xffff'ffff)};
}

template <Rounding R, Type To, class Wide>
[[gnu::noinline]] Lane<To> round_integer(Wide a) {
  const auto [high, low] = parts(a);
  if constexpr (To == kF64) {
    const double sum = high + low;
    return directed<R>(sum, sum_error(high, low, sum));
  } else if constexpr (To == kF32) {
    return to_single<R>(odd_sum(high, low));
  } else {
    return narrow<R, Lane<To>>(odd_sum(high, low));
  }
}

template <Rounding R, Type To, Type... From>
void rounded_rows(OpcodeTable& table, Types<From...>) {
  (row<To, From>(table, cvt(suffix(R), To, From),
                 [](auto a) {
                   using Wide =
                       std::conditional_t<std::is_signed_v<decltype(a)>, std::int64_t, std::uint64_t>;
                   return round_integer<R, To>(Wide{a});
                 }),
   ...);
}
template <Rounding R>
void from_integers(OpcodeTable& table) {
  rounded_rows<R, kF32>(table, kAllInts);
  rounded_rows<R, kF64>(table, kAllInts);
  rounded_rows<R, kF16>(table, kAllInts);
  rounded_rows<R, kBF16>(table, kAllInts);
}

// ---- cvt.pack: two saturated numbers side by side ----------------------------------------------------
template <class To>
std::uint32_t field(std::int32_t a) {
  return std::make_unsigned_t<To>(nearest_integer<To>(a));
}
template <class To>
void pack_halves(OpcodeTable& table, const std::string& type) {
  row<kB32, kS32, kS32>(table, "cvt.pack.sat." + type + ".s32",
                        [](auto a, auto b) { return field<To>(a) << 16 | field<To>(b); });
}
template <class To>
void pack_bytes(OpcodeTable& table, const std::string& type) {
  row<kB32, kS32, kS32, kB32>(table, "cvt.pack.sat." + type + ".s32.b32", [](auto a, auto b, auto c) {
    return c << 16 | field<To>(a) << 8 | field<To>(b);
  });
}

}  // namespace

void add_convert_rounded_rows(OpcodeTable& table) {
  for_each_pair(kAllInts, [&]<Type To, Type From>() { saturating_row<To, From>(table); });
  rounded_rows<Rounding::kNearest, kF16>(table, kAllInts);
  rounded_rows<Rounding::kNearest, kBF16>(table, kAllInts);
  from_integers<Rounding::kZero>(table);
  from_integers<Rounding::kDown>(table);
  from_integers<Rounding::kUp>(table);
  pack_bytes<std::int8_t>(table, "s8");
  pack_bytes<std::uint8_t>(table, "u8");
  pack_halves<std::int16_t>(table, "s16");
  pack_halves<std::uint16_t>(table, "u16");
}

// Conversions from floating point to 8-bit and 16-bit integers, from f16 and bf16, and all conversions with
// .ftz or .sat (PTX ISA, "cvt").

namespace {

template <class To, Rounding R, class From>
[[gnu::noinline]] To shared_to_integer(From a) {
  return to_integer<To, R>(a);
}

template <Rounding R, Type To, Type From, class F>
void rows(OpcodeTable& table, const std::string& modifiers, F) {
  row<To, From>(table, cvt(modifiers, To, From),
                [](auto a) { return shared_to_integer<Lane<To>, R>(value(F{}(a))); });
}

template <Rounding R, Type To>
void to_type(OpcodeTable& table) {
  const std::string mode = integral_suffix(R);
  constexpr auto kAsItIs = [](auto a) { return a; };
  constexpr auto kFlush = [](float a) { return flush(a); };
  if constexpr (sizeof(Lane<To>) < 4) {
    rows<R, To, kF32>(table, mode, kAsItIs);
    rows<R, To, kF64>(table, mode, kAsItIs);
  }
  // Values out of range are clamped anyway, so .sat changes nothing.
  rows<R, To, kF32>(table, mode + ".sat", kAsItIs);
  rows<R, To, kF64>(table, mode + ".sat", kAsItIs);
  for (const char* sat : {"", ".sat"}) {
    rows<R, To, kF32>(table, mode + ".ftz" + sat, kFlush);
    rows<R, To, kF16>(table, mode + sat, kAsItIs);
  }
  rows<R, To, kBF16>(table, mode, kAsItIs);
}

}  // namespace

void add_convert_to_narrow_rows(OpcodeTable& table) {
  for_each_rounding_to(kAllInts, [&]<Rounding R, Type To>() { to_type<R, To>(table); });
}

// Conversions between floating-point types that saturate, flush, rectify, pack, or round in a direction (PTX
// ISA, "cvt").

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

// ---- rounding to integers ----------------------------------------------------------------------------
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
  constexpr bool kIsCommon = R == Rounding::kNearest && From == kF32;  // implemented in convert.level.cpp
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
  // .ftz changes nothing here: a GPU does not flush the source.
  row<kF16, kF32>(table, cvt(mode + ".ftz", kF16, kF32), [](auto a) { return rounded<R, kF16>(a); });
  row<kF16, kF32>(table, cvt(mode + ".ftz.sat", kF16, kF32),
                  [](auto a) { return rounded<R, kF16>(saturate(a)); });
}

// Two f32 into the halves of a register, the first into the upper half; and the .relu forms for one number.
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

// ---- tf32: an f32 whose last 13 bits are zero --------------------------------------------------------
constexpr std::uint32_t kTf32Ulp = 1u << 13;
constexpr auto kTiesAway = [](std::uint32_t bits) { return bits + kTf32Ulp / 2; };
constexpr auto kTiesToEven = [](std::uint32_t bits) { return bits + kTf32Ulp / 2 - 1 + (bits >> 13 & 1); };
constexpr auto kCut = [](std::uint32_t bits) { return bits; };
constexpr auto kAsItIs = [](float a) { return a; };
constexpr auto kOneNan = [](float a) { return one_nan(a); };
constexpr auto kRectified = [](float a) { return one_nan(rectify(a)); };

// Infinities and NaNs are only truncated, not rounded.
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

// Conversions of the 8-bit floating-point types, two in a 16-bit register (PTX ISA, "cvt" with .e4m3x2 and
// .e5m2x2).

namespace {

// Both formats have a sign bit, then the exponent, then the fraction.
struct Format {
  int fraction_bits, bias;
  std::uint32_t largest, nan;  // bits, without the sign
  bool has_infinity;
};
constexpr Format kE4m3{3, 7, 0x7e, 0x7f, false};
constexpr Format kE5m2{2, 15, 0x7b, 0x7f, true};

double magnitude_of(std::uint32_t bits, const Format& format) {
  const int exponent = static_cast<int>(bits >> format.fraction_bits);
  const double fraction = bits & ((1u << format.fraction_bits) - 1), one = 1u << format.fraction_bits;
  return std::ldexp(exponent == 0 ? fraction : fraction + one,
                    (exponent == 0 ? 1 : exponent) - format.bias - format.fraction_bits);
}

float widen8(std::uint32_t bits, const Format& format) {
  const std::uint32_t magnitude = bits & 0x7f;
  const float sign = bits & 0x80 ? -1.0f : 1.0f;
  if (magnitude <= format.largest) return sign * static_cast<float>(magnitude_of(magnitude, format));
  const bool infinite = format.has_infinity && magnitude == format.largest + 1;
  return infinite ? sign * std::numeric_limits<float>::infinity() : std::numeric_limits<float>::quiet_NaN();
}

// .satfinite: rounds to nearest; values too large become the largest number.
std::uint32_t narrow8(float a, const Format& format) {
  if (a != a) return format.nan;
  const double magnitude = std::fabs(double{a});
  const std::uint32_t sign = is_negative(a) ? 0x80 : 0;
  if (magnitude >= magnitude_of(format.largest, format)) return sign | format.largest;
  // Bit patterns of neighbouring numbers are neighbouring integers, so round in units of the last bit.
  int exponent = std::numeric_limits<int>::min() / 2;
  if (magnitude > 0) std::frexp(magnitude, &exponent);
  const int lowest = 1 - format.bias, scale = (exponent - 1 < lowest ? lowest : exponent - 1);
  const auto units =
      static_cast<std::uint32_t>(std::rint(std::ldexp(magnitude, format.fraction_bits - scale)));
  return sign | (units + (static_cast<std::uint32_t>(scale - lowest) << format.fraction_bits));
}

struct E4m3 {
  [[gnu::noinline]] static std::uint32_t from(float a) { return narrow8(a, kE4m3); }
  [[gnu::noinline]] static float to(std::uint32_t bits) { return widen8(bits & 0xff, kE4m3); }
};
struct E5m2 {
  [[gnu::noinline]] static std::uint32_t from(float a) { return narrow8(a, kE5m2); }
  [[gnu::noinline]] static float to(std::uint32_t bits) { return widen8(bits & 0xff, kE5m2); }
};

Half half(std::uint32_t bits) { return {static_cast<std::uint16_t>(bits)}; }
std::uint32_t half_bits(float a) { return nearest<Half>(a).bits; }

template <class F>
void rows(OpcodeTable& table, const std::string& name) {
  row<kB16, kF32, kF32>(table, "cvt.rn.satfinite." + name + ".f32",
                        [](float high, float low) { return F::from(high) << 8 | F::from(low); });
  row<kB16, kF32, kF32>(table, "cvt.rn.satfinite.relu." + name + ".f32", [](float high, float low) {
    return F::from(rectify(high)) << 8 | F::from(rectify(low));
  });
  row<kB16, kB32>(table, "cvt.rn.satfinite." + name + ".f16x2",
                  [](auto a) { return F::from(widen(half(a >> 16))) << 8 | F::from(widen(half(a))); });
  row<kB16, kB32>(table, "cvt.rn.satfinite.relu." + name + ".f16x2", [](auto a) {
    return F::from(rectify(widen(half(a >> 16)))) << 8 | F::from(rectify(widen(half(a))));
  });
  row<kB32, kB16>(table, "cvt.rn.f16x2." + name,
                  [](auto a) { return half_bits(F::to(a >> 8)) << 16 | half_bits(F::to(a)); });
  row<kB32, kB16>(table, "cvt.rn.relu.f16x2." + name, [](auto a) {
    return half_bits(rectify(F::to(a >> 8))) << 16 | half_bits(rectify(F::to(a)));
  });
}

}  // namespace

void add_convert_fp8_rows(OpcodeTable& table) {
  rows<E4m3>(table, "e4m3x2");
  rows<E5m2>(table, "e5m2x2");
}

}  // namespace cudalab::vgpu::CUDALAB_LEVEL
