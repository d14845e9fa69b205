// Conversions from floating point to integers of 8 and 16 bits, from f16 and bf16, and all that are flushed
// or saturated (PTX ISA, "cvt").
#include "vgpu/opcodes/conversions/convert_to_integer.h"

namespace cudalab::vgpu::CUDALAB_LEVEL {
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
  // Values out of range are clamped anyway: .sat changes nothing.
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

}  // namespace cudalab::vgpu::CUDALAB_LEVEL
