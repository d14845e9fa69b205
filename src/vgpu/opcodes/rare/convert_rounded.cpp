// Conversions from integers that saturate, pack, or round in a direction (PTX ISA, "Data Movement and
// Conversion Instructions: cvt").
#include "vgpu/opcodes/conversions/convert.h"

namespace cudalab::vgpu::CUDALAB_LEVEL {
namespace {

// ---- .sat: to the nearest integer that the type has --------------------------------------------------
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

}  // namespace cudalab::vgpu::CUDALAB_LEVEL
