// Conversions from integers, cut or to nearest (PTX ISA, "Data Movement and Conversion Instructions: cvt").
#include "vgpu/opcodes/conversions/convert.h"

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

}  // namespace cudalab::vgpu::CUDALAB_LEVEL
