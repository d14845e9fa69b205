// Logic, shifts, comparison, selection, copies and packing (PTX ISA); predicates are masks with one bit per
// lane.
#include <cmath>

#include "vgpu/opcodes/lanes.h"

namespace cudalab::vgpu::CUDALAB_LEVEL {

// Comparison and selection (PTX ISA, "Comparison and Selection Instructions").

namespace {

inline constexpr Types<kF32> kSingle;

template <class T>
bool unordered(T a, T b) {
  return a != a || b != b;
}

// Denormals are flushed to zero.
inline float flush(float a) { return std::fabs(a) < 0x1p-126f ? 0.0f : a; }

// A comparison and its .ftz form.
template <class F>
void compare_floats(OpcodeTable& table, const char* name, F f) {
  compare(table, kFloats, name, f);
  compare(table, kSingle, (std::string(name) + ".ftz").c_str(),
          [](float a, float b) { return F{}(flush(a), flush(b)); });
}

// Selection only moves bits, so all types of a width share one loop.
template <Type Bits, Type... T>
void select_rows(OpcodeTable& table, Types<T...>) {
  const auto share = [&]<Type Chooser, class F>(const char* name, F) {
    const Handler run = &Lanewise<F, Bits, Bits, Bits, Chooser>::run;
    (table.add(with_type(name, T) + (Chooser == kPred ? "" : with_type("", Chooser)), Shape::kLanewise, T, 3,
               {T, T, Chooser}, run),
     ...);
  };
  share.template operator()<kPred>("selp", [](auto a, auto b, bool choose_a) { return choose_a ? a : b; });
  // slct chooses a if c >= 0, which includes -0 but not NaN.
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

// Copies, and packing of several narrow values into a wide one and back.

namespace {

template <class Whole, class Part>
const Inst* pack(const Inst* inst, Warp& warp) {
  constexpr int kParts = sizeof(Whole) / sizeof(Part);
  alignas(64) Whole out[kWarpSize]{};
  for (int part = 0; part < kParts; ++part) {
    const Part* from = at<const Part>(warp, inst->slots[part]);
#pragma omp simd
    for (int lane = 0; lane < kWarpSize; ++lane) out[lane] |= Whole{from[lane]} << (8 * sizeof(Part) * part);
  }
  blend(at<Whole>(warp, inst->d), out, warp.exec);
  return inst + 1;
}

template <class Whole, class Part>
const Inst* unpack(const Inst* inst, Warp& warp) {
  constexpr int kParts = sizeof(Whole) / sizeof(Part);
  alignas(64) Whole whole[kWarpSize];  // the results may overwrite the source
  std::memcpy(whole, at<Whole>(warp, inst->a), sizeof whole);
  for (int part = 0; part < kParts; ++part) {
    alignas(64) Part out[kWarpSize];
#pragma omp simd
    for (int lane = 0; lane < kWarpSize; ++lane)
      out[lane] = static_cast<Part>(whole[lane] >> (8 * sizeof(Part) * part));
    blend(at<Part>(warp, inst->slots[part]), out, warp.exec);
  }
  return inst + 1;
}

template <class Whole, class Part>
void packing(OpcodeTable& table) {
  const std::string form =
      ".b" + std::to_string(8 * sizeof(Whole)) + ".v" + std::to_string(sizeof(Whole) / sizeof(Part));
  table.add("pack" + form, Shape::kInternal, kNone, 0, {}, &pack<Whole, Part>);
  table.add("unpack" + form, Shape::kInternal, kNone, 0, {}, &unpack<Whole, Part>);
}

}  // namespace

void add_move_rows(OpcodeTable& table) {
  op<1>(table, kBits, "mov", [](auto a) { return a; });
  packing<std::uint64_t, std::uint32_t>(table);
  packing<std::uint64_t, std::uint16_t>(table);
  packing<std::uint32_t, std::uint16_t>(table);
  packing<std::uint32_t, std::uint8_t>(table);
  packing<std::uint16_t, std::uint8_t>(table);
}

namespace {

// A predicate of the whole warp is one machine word.
template <class F, int Sources>
const Inst* on_masks(const Inst* inst, Warp& warp) {
  std::uint32_t value;
  if constexpr (Sources == 1) value = F{}(mask_at(warp, inst->a));
  if constexpr (Sources == 2) value = F{}(mask_at(warp, inst->a), mask_at(warp, inst->b));
  write_mask(mask_at(warp, inst->d), value, warp.exec);
  return inst + 1;
}

template <int Sources, class F>
void mask_row(OpcodeTable& table, const char* name, F) {
  table.add(std::string(name) + ".pred", Shape::kLanewise, kPred, Sources, {kPred, kPred},
            &on_masks<F, Sources>);
}

// Shift counts are clamped to the width.
template <class T>
T shift_left(T a, std::uint32_t count) {
  return count < 8 * sizeof(T) ? static_cast<T>(std::uint64_t{a} << count) : T{0};
}
template <class T>
T shift_right(T a, std::uint32_t count) {
  constexpr std::uint32_t kWidth = 8 * sizeof(T);
  if constexpr (std::is_signed_v<T>)
    return static_cast<T>(a >> (count < kWidth ? count : kWidth - 1));
  else
    return count < kWidth ? static_cast<T>(a >> count) : T{0};
}

template <Type... T>
void shift_right_rows(OpcodeTable& table, Types<T...>) {
  (row<T, T, kU32>(table, with_type("shr", T), [](auto a, auto count) { return shift_right(a, count); }),
   ...);
}
template <Type... T>
void shift_left_rows(OpcodeTable& table, Types<T...>) {
  (row<T, T, kU32>(table, with_type("shl", T), [](auto a, auto count) { return shift_left(a, count); }), ...);
}

}  // namespace

void add_logic_rows(OpcodeTable& table) {
  op<2>(table, kBits, "and", [](auto a, auto b) { return a & b; });
  op<2>(table, kBits, "or", [](auto a, auto b) { return a | b; });
  op<2>(table, kBits, "xor", [](auto a, auto b) { return a ^ b; });
  op<1>(table, kBits, "not", [](auto a) { return ~a; });
  op<1>(table, kBits, "cnot", [](auto a) { return a == 0 ? 1 : 0; });
  mask_row<2>(table, "and", [](std::uint32_t a, std::uint32_t b) { return a & b; });
  mask_row<2>(table, "or", [](std::uint32_t a, std::uint32_t b) { return a | b; });
  mask_row<2>(table, "xor", [](std::uint32_t a, std::uint32_t b) { return a ^ b; });
  mask_row<1>(table, "not", [](std::uint32_t a) { return ~a; });
  mask_row<1>(table, "mov", [](std::uint32_t a) { return a; });
  shift_left_rows(table, kBits);
  shift_right_rows(table, kBits);
  shift_right_rows(table, kInts);
}

}  // namespace cudalab::vgpu::CUDALAB_LEVEL
