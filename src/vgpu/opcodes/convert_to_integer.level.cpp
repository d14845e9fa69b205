// Conversions from floating point to integers (PTX ISA, "cvt"): rounded, then clamped to what the type holds.
#include "vgpu/opcodes/convert.h"

namespace cudalab::vgpu::CUDALAB_LEVEL {
namespace {

// What a NaN becomes: nothing, or the top bit where either side has 64 bits.
template <class To, class From>
constexpr To kFromNan = sizeof(To) == 8 || sizeof(From) == 8
                            ? static_cast<To>(std::uint64_t{1} << (8 * sizeof(To) - 1))
                            : To{0};

// `whole` has no fraction. A double holds every 32-bit limit.
template <class To>
To clamp32(double whole) {
  constexpr double kMin = std::numeric_limits<To>::min(), kMax = std::numeric_limits<To>::max();
  const double above = whole > kMin ? whole : kMin;
  return static_cast<To>(static_cast<std::int64_t>(above < kMax ? above : kMax));
}
template <class To, class From>
To clamp64(From whole) {
  constexpr From kBeyond = static_cast<From>(std::is_signed_v<To> ? 0x1p63 : 0x1p64);
  constexpr From kMin = std::is_signed_v<To> ? -kBeyond : From{0};
  const From above = whole > kMin ? whole : kMin;
  const bool fits = above < kBeyond;
  return fits ? static_cast<To>(fits ? above : From{0}) : std::numeric_limits<To>::max();
}
template <class To, Rounding R, class From>
To to_integer(From a) {
  const From whole = integral<R>(a);
  To result;
  if constexpr (sizeof(To) == 8)
    result = clamp64<To>(whole);
  else
    result = clamp32<To>(whole);
  return a != a ? kFromNan<To, From> : result;
}
// What few programs use shares one function of a lane: 8-bit and 16-bit results, f16 and bf16.
template <class To, Rounding R, class From>
[[gnu::noinline]] To shared_to_integer(From a) {
  return to_integer<To, R>(a);
}
template <class To, Rounding R, class From>
To from_wide(From a) {
  if constexpr (sizeof(To) < 4)
    return shared_to_integer<To, R>(a);
  else
    return to_integer<To, R>(a);
}

// Values out of range are clamped anyway: .sat changes nothing.
template <Type To, Type From, class F>
void with_sat(OpcodeTable& table, const std::string& modifiers, F f) {
  row<To, From>(table, cvt(modifiers, To, From), f);
  row<To, From>(table, cvt(modifiers + ".sat", To, From), f);
}

template <Rounding R, Type To>
void to_type(OpcodeTable& table) {
  const std::string mode = integral_suffix(R);
  with_sat<To, kF32>(table, mode, [](auto a) { return from_wide<Lane<To>, R>(a); });
  with_sat<To, kF32>(table, mode + ".ftz", [](auto a) { return from_wide<Lane<To>, R>(flush(a)); });
  with_sat<To, kF64>(table, mode, [](auto a) { return from_wide<Lane<To>, R>(a); });
  with_sat<To, kF16>(table, mode, [](auto a) { return shared_to_integer<Lane<To>, R>(widen(a)); });
  row<To, kBF16>(table, cvt(mode, To, kBF16),
                 [](auto a) { return shared_to_integer<Lane<To>, R>(widen(a)); });
}
template <Rounding R, Type... To>
void to_types(OpcodeTable& table, Types<To...>) {
  (to_type<R, To>(table), ...);
}

}  // namespace

void add_convert_to_integer_rows(OpcodeTable& table) {
  to_types<Rounding::kNearest>(table, kAllInts);
  to_types<Rounding::kZero>(table, kAllInts);
  to_types<Rounding::kDown>(table, kAllInts);
  to_types<Rounding::kUp>(table, kAllInts);
}

}  // namespace cudalab::vgpu::CUDALAB_LEVEL
