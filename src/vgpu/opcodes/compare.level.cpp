// Comparison and selection (PTX ISA, "Comparison and Selection Instructions").
#include <cmath>

#include "vgpu/opcodes/lanes.h"

namespace cudalab::vgpu::CUDALAB_LEVEL {
namespace {

inline constexpr Types<kF32> kSingle;

template <class T> bool unordered(T a, T b) { return a != a || b != b; }

// Denormals count as zero.
inline float flush(float a) { return std::fabs(a) < 0x1p-126f ? 0.0f : a; }

// A comparison and its .ftz form.
template <class F> void compare_floats(OpcodeTable& table, const char* name, F f) {
  compare(table, kFloats, name, f);
  compare(table, kSingle, (std::string(name) + ".ftz").c_str(), [](float a, float b) { return F{}(flush(a), flush(b)); });
}

template <Type... T> void select_rows(OpcodeTable& table, Types<T...>) {
  (row<T, T, T, kPred>(table, with_type("selp", T), [](auto a, auto b, bool choose_a) { return choose_a ? a : b; }), ...);
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

  select_rows(table, kBits);
  select_rows(table, kInts);
  select_rows(table, kFloats);
}

}  // namespace cudalab::vgpu::CUDALAB_LEVEL
