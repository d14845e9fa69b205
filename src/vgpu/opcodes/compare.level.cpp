// Comparison and selection (PTX ISA, "Comparison and Selection Instructions").
#include <cmath>

#include "vgpu/opcodes/lanes.h"

namespace cudalab::vgpu::CUDALAB_LEVEL {
namespace {

inline constexpr Types<kF32> kSingle;

template <class T>
bool unordered(T a, T b) {
  return a != a || b != b;
}

// Denormals count as zero.
inline float flush(float a) { return std::fabs(a) < 0x1p-126f ? 0.0f : a; }

// A comparison and its .ftz form.
template <class F>
void compare_floats(OpcodeTable& table, const char* name, F f) {
  compare(table, kFloats, name, f);
  compare(table, kSingle, (std::string(name) + ".ftz").c_str(),
          [](float a, float b) { return F{}(flush(a), flush(b)); });
}

// Choosing moves bits: all types of a width share one loop.
template <Type Bits, Type... T>
void select_rows(OpcodeTable& table, Types<T...>) {
  const auto share = [&]<Type Chooser, class F>(const char* name, F) {
    const Handler run = &Lanewise<F, Bits, Bits, Bits, Chooser>::run;
    (table.add(with_type(name, T) + (Chooser == kPred ? "" : with_type("", Chooser)), Shape::kLanewise, T, 3,
               {T, T, Chooser}, run),
     ...);
  };
  share.template operator()<kPred>("selp", [](auto a, auto b, bool choose_a) { return choose_a ? a : b; });
  // slct chooses a where c is not negative; -0 is not, NaN is not a number.
  const auto not_negative = [](auto a, auto b, auto c) { return c >= 0 ? a : b; };
  share.template operator()<kS32>("slct", not_negative);
  share.template operator()<kF32>("slct", not_negative);
  (table.add(with_type("slct.ftz", T) + ".f32", Shape::kLanewise, T, 3, {T, T, kF32},
             &Lanewise<decltype([](auto a, auto b, float c) { return flush(c) >= 0 ? a : b; }), Bits, Bits,
                       Bits, kF32>::run),
   ...);
}

}  // namespace

void add_compare_rows(OpcodeTable& table) {
  compare(table, kInts, "setp.eq", [](auto a, auto b) { return a == b; });
  compare(table, kInts, "setp.ne", [](auto a, auto b) { return a != b; });
  compare(table, kBits, "setp.eq", [](auto a, auto b) { return a == b; });
  compare(table, kBits, "setp.ne", [](auto a, auto b) { return a != b; });
  compare(table, kInts, "setp.lt", [](auto a, auto b) { return a < b; });
  compare(table, kInts, "setp.le", [](auto a, auto b) { return a <= b; });
  compare(table, kInts, "setp.gt", [](auto a, auto b) { return a > b; });
  compare(table, kInts, "setp.ge", [](auto a, auto b) { return a >= b; });
  compare(table, kUnsigned, "setp.lo", [](auto a, auto b) { return a < b; });
  compare(table, kUnsigned, "setp.ls", [](auto a, auto b) { return a <= b; });
  compare(table, kUnsigned, "setp.hi", [](auto a, auto b) { return a > b; });
  compare(table, kUnsigned, "setp.hs", [](auto a, auto b) { return a >= b; });

  compare_floats(table, "setp.eq", [](auto a, auto b) { return a == b; });
  compare_floats(table, "setp.ne", [](auto a, auto b) { return a != b && !unordered(a, b); });
  compare_floats(table, "setp.lt", [](auto a, auto b) { return a < b; });
  compare_floats(table, "setp.le", [](auto a, auto b) { return a <= b; });
  compare_floats(table, "setp.gt", [](auto a, auto b) { return a > b; });
  compare_floats(table, "setp.ge", [](auto a, auto b) { return a >= b; });
  compare_floats(table, "setp.equ", [](auto a, auto b) { return a == b || unordered(a, b); });
  compare_floats(table, "setp.neu", [](auto a, auto b) { return a != b; });
  compare_floats(table, "setp.ltu", [](auto a, auto b) { return !(a >= b); });
  compare_floats(table, "setp.leu", [](auto a, auto b) { return !(a > b); });
  compare_floats(table, "setp.gtu", [](auto a, auto b) { return !(a <= b); });
  compare_floats(table, "setp.geu", [](auto a, auto b) { return !(a < b); });
  compare_floats(table, "setp.num", [](auto a, auto b) { return !unordered(a, b); });
  compare_floats(table, "setp.nan", [](auto a, auto b) { return unordered(a, b); });

  select_rows<kB16>(table, Types<kB16, kU16, kS16>{});
  select_rows<kB32>(table, Types<kB32, kU32, kS32, kF32>{});
  select_rows<kB64>(table, Types<kB64, kU64, kS64, kF64>{});
}

}  // namespace cudalab::vgpu::CUDALAB_LEVEL
