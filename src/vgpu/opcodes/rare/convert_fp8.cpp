// Conversions of the 8-bit floating-point types, two in a 16-bit register (PTX ISA, "cvt" with .e4m3x2 and
// .e5m2x2).
#include "vgpu/opcodes/conversions/convert.h"

namespace cudalab::vgpu::CUDALAB_LEVEL {
namespace {

// Both have a sign bit, then the exponent, then the fraction.
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

// .satfinite: to nearest, and what is too large becomes the largest number.
std::uint32_t narrow8(float a, const Format& format) {
  if (a != a) return format.nan;
  const double magnitude = std::fabs(double{a});
  const std::uint32_t sign = is_negative(a) ? 0x80 : 0;
  if (magnitude >= magnitude_of(format.largest, format)) return sign | format.largest;
  // The bits of neighbouring numbers are neighbouring integers: round in units of the last bit.
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
