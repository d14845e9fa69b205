// Conversions from f32 and f64 to integers of 32 and 64 bits (PTX ISA, "cvt").
#include "vgpu/opcodes/conversions/convert_to_integer.h"

namespace cudalab::vgpu::CUDALAB_LEVEL {
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
