// Conversions between integers and floating-point numbers (PTX ISA, "cvt").
#include "vgpu/opcodes/convert.h"

namespace cudalab::vgpu::CUDALAB_LEVEL {
namespace {

template <Type To, Type From>
void cut_or_extended(OpcodeTable& table) {
  row<To, From>(table, cvt("", To, From), [](auto a) { return static_cast<Lane<To>>(a); });
}

template <Type... From>
void int_to_nearest(OpcodeTable& table, Types<From...>) {
  (row<kF32, From>(table, cvt(".rn", kF32, From), [](auto a) { return static_cast<float>(a); }), ...);
  (row<kF64, From>(table, cvt(".rn", kF64, From), [](auto a) { return static_cast<double>(a); }), ...);
}

}  // namespace

void add_convert_rows(OpcodeTable& table) {
  for_each_pair(kAllInts, [&]<Type To, Type From>() { cut_or_extended<To, From>(table); });
  int_to_nearest(table, kAllInts);
}

namespace {

template <Type To, Type From>
void widening(OpcodeTable& table) {
  row<To, From>(table, cvt("", To, From), Widen<To, From>{});
  if constexpr (From == kF32)
    row<To, From>(table, cvt(".ftz", To, From), [](float a) { return Widen<To, From>{}(one_nan(flush(a))); });
}

template <Rounding R>
void whole(OpcodeTable& table) {
  const std::string mode = integral_suffix(R);
  row<kF32, kF32>(table, cvt(mode, kF32, kF32), [](auto a) { return one_nan(integral<R>(a)); });
  row<kF32, kF32>(table, cvt(mode + ".ftz", kF32, kF32),
                  [](auto a) { return one_nan(integral<R>(flush(a))); });
  row<kF64, kF64>(table, cvt(mode, kF64, kF64), [](auto a) { return with_its_nan(integral<R>(a), a); });
}

template <Type To, Type From>
void narrowing(OpcodeTable& table) {
  row<To, From>(table, cvt(".rn", To, From),
                [](auto a) { return rounded<Rounding::kNearest, To>(value(a)); });
}

}  // namespace

void add_convert_float_rows(OpcodeTable& table) {
  for_each_widening([&]<Type To, Type From>() { widening<To, From>(table); });
  for_each_rounding([&]<Rounding R>() { whole<R>(table); });
  narrowing<kF32, kF64>(table);
  narrowing<kF16, kF32>(table);
  narrowing<kBF16, kF32>(table);
}

namespace {

template <Rounding R, Type To>
void to_type(OpcodeTable& table) {
  const std::string mode = integral_suffix(R);
  row<To, kF32>(table, cvt(mode, To, kF32), [](auto a) { return to_integer<Lane<To>, R>(a); });
  row<To, kF64>(table, cvt(mode, To, kF64), [](auto a) { return to_integer<Lane<To>, R>(a); });
}

}  // namespace

void add_convert_to_integer_rows(OpcodeTable& table) {
  for_each_rounding_to(kWideInts, [&]<Rounding R, Type To>() { to_type<R, To>(table); });
}

}  // namespace cudalab::vgpu::CUDALAB_LEVEL
