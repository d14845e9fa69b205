// Conversions (PTX ISA, "Data Movement and Conversion Instructions: cvt").
#include <cmath>
#include <limits>

#include "vgpu/opcodes/lanes.h"

namespace cudalab::vgpu::CUDALAB_LEVEL {
namespace {

inline constexpr Types<kU8, kS8, kU16, kS16, kU32, kS32, kU64, kS64> kAllInts;

std::string cvt(const char* modifiers, Type to, Type from) {
  return "cvt" + std::string(modifiers) + "." + std::string(ptx::info(to).name) + "." + std::string(ptx::info(from).name);
}

// Integers: cut, or extended as the source's type says.
template <Type To, Type... From> void from_ints(OpcodeTable& table, Types<From...>) {
  (row<To, From>(table, cvt("", To, From), [](auto a) { return static_cast<Lane<To>>(a); }), ...);
}
template <Type... To> void int_to_int(OpcodeTable& table, Types<To...>) { (from_ints<To>(table, kAllInts), ...); }

template <Type... From> void int_to_float(OpcodeTable& table, Types<From...>) {
  (row<kF32, From>(table, cvt(".rn", kF32, From), [](auto a) { return static_cast<float>(a); }), ...);
  (row<kF64, From>(table, cvt(".rn", kF64, From), [](auto a) { return static_cast<double>(a); }), ...);
}

}  // namespace

void add_convert_rows(OpcodeTable& table) {
  int_to_int(table, kAllInts);
  int_to_float(table, kAllInts);
  row<kF64, kF32>(table, "cvt.f64.f32", [](float a) { return static_cast<double>(a); });
  row<kF32, kF64>(table, "cvt.rn.f32.f64", [](double a) { return static_cast<float>(a); });
}

}  // namespace cudalab::vgpu::CUDALAB_LEVEL
