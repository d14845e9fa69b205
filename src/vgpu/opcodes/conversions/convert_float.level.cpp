// Conversions between floating-point types to nearest, and to whole numbers of the same type (PTX ISA,
// "cvt").
#include "vgpu/opcodes/conversions/convert_float.h"

namespace cudalab::vgpu::CUDALAB_LEVEL {
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

}  // namespace cudalab::vgpu::CUDALAB_LEVEL
