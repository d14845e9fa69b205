// Logic and shifts (PTX ISA, "Logic and Shift Instructions"); predicates are masks, a bit a lane.
#include "vgpu/opcodes/lanes.h"

namespace cudalab::vgpu::CUDALAB_LEVEL {
namespace {

// On predicates the whole warp is one machine word.
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

// A shift count at or over the width is clamped to it.
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
