// Arithmetic on numbers wider than a register (PTX ISA), and registers of 128 bits.
#include "vgpu/opcodes/lanes.h"

namespace cudalab::vgpu::CUDALAB_LEVEL {

// 128-bit registers: copied, combined from two halves, and split (PTX ISA, "mov").

namespace {

struct Wide {
  std::uint64_t low, high;
};

const Inst* copy_wide(const Inst* inst, Warp& warp) {
  blend(at<Wide>(warp, inst->d), at<const Wide>(warp, inst->a), warp.exec);
  return inst + 1;
}

const Inst* pack_wide(const Inst* inst, Warp& warp) {
  const auto *low = at<const std::uint64_t>(warp, inst->slots[0]),
             *high = at<const std::uint64_t>(warp, inst->slots[1]);
  Wide out[kWarpSize];
  for (int lane = 0; lane < kWarpSize; ++lane) out[lane] = {low[lane], high[lane]};
  blend(at<Wide>(warp, inst->d), out, warp.exec);
  return inst + 1;
}

const Inst* unpack_wide(const Inst* inst, Warp& warp) {
  const auto* whole = at<const Wide>(warp, inst->a);
  std::uint64_t low[kWarpSize], high[kWarpSize];
  for (int lane = 0; lane < kWarpSize; ++lane) low[lane] = whole[lane].low, high[lane] = whole[lane].high;
  blend(at<std::uint64_t>(warp, inst->slots[0]), low, warp.exec);
  blend(at<std::uint64_t>(warp, inst->slots[1]), high, warp.exec);
  return inst + 1;
}

}  // namespace

void add_wide_rows(OpcodeTable& table) {
  table.add("mov.b128", Shape::kInternal, kNone, 0, {}, &copy_wide);
  table.add("pack.b128.v2", Shape::kInternal, kNone, 0, {}, &pack_wide);
  table.add("unpack.b128.v2", Shape::kInternal, kNone, 0, {}, &unpack_wide);
}

namespace {

template <class T>
struct WithCarry {
  T value;
  bool carry;
};

template <class T>
WithCarry<T> add(T a, T b, bool carry) {
  const T sum = static_cast<T>(a + b), total = static_cast<T>(sum + carry);
  return {total, static_cast<bool>((sum < a) | (total < sum))};
}
template <class T>
WithCarry<T> subtract(T a, T b, bool borrow) {
  const T difference = static_cast<T>(a - b), total = static_cast<T>(difference - borrow);
  return {total, static_cast<bool>((a < b) | (difference < static_cast<T>(borrow)))};
}

// The upper half of a product; T decides width and signedness.
template <class T>
auto high(T a, T b) {
  if constexpr (sizeof(T) == 8) {
    using Wide = std::conditional_t<std::is_signed_v<T>, __int128, unsigned __int128>;
    return static_cast<std::uint64_t>((Wide{a} * b) >> 64);
  } else {
    using Wide = std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>;
    return static_cast<std::uint32_t>((Wide{a} * b) >> 32);
  }
}
template <class T>
auto as_unsigned(T a) {
  return static_cast<std::make_unsigned_t<T>>(a);
}

struct AddWithCarry {
  template <class T>
  auto operator()(bool carry, T a, T b) const {
    return add(as_unsigned(a), as_unsigned(b), carry);
  }
};
struct SubtractWithBorrow {
  template <class T>
  auto operator()(bool borrow, T a, T b) const {
    return subtract(as_unsigned(a), as_unsigned(b), borrow);
  }
};
struct MultiplyLowAdd {
  template <class T>
  auto operator()(bool carry, T a, T b, T c) const {
    return add(static_cast<std::make_unsigned_t<T>>(as_unsigned(a) * as_unsigned(b)), as_unsigned(c), carry);
  }
};
struct MultiplyHighAdd {
  template <class T>
  auto operator()(bool carry, T a, T b, T c) const {
    return add(high(a, b), as_unsigned(c), carry);
  }
};

template <class F, Type T, bool In, bool Out, int... Sources>
const Inst* run(const Inst* inst, Warp& warp) {
  alignas(64) Lane<T> out[kWarpSize];
  alignas(64) std::uint8_t carries[kWarpSize];
  const MaskLanes carry_in{In ? warp.carry : 0};
  for (int lane = 0; lane < kWarpSize; ++lane) {
    const auto result = F{}(carry_in[lane], at<const Lane<T>>(warp, source_slot<Sources>(inst))[lane]...);
    out[lane] = static_cast<Lane<T>>(result.value);
    carries[lane] = result.carry ? 1 : 0;
  }
  if (Out) write_mask(warp.carry, pack_bits(carries), warp.exec);
  blend(at<Lane<T>>(warp, inst->d), out, warp.exec);
  return inst + 1;
}

template <class F, int... Sources, Type... T>
void rows(OpcodeTable& table, Types<T...>, const char* first, const char* next,
          std::integer_sequence<int, Sources...>) {
  const auto add_row = [&]<Type X>(const std::string& name, Handler handler) {
    Row made{with_type(name.c_str(), X), Shape::kLanewise, X, sizeof...(Sources), {X, X, X}, handler};
    made.uses_carry = true;
    table.add(std::move(made));
  };
  (add_row.template operator()<T>(std::string(first) + ".cc", &run<F, T, false, true, Sources...>), ...);
  (add_row.template operator()<T>(next, &run<F, T, true, false, Sources...>), ...);
  (add_row.template operator()<T>(std::string(next) + ".cc", &run<F, T, true, true, Sources...>), ...);
}

}  // namespace

void add_carry_rows(OpcodeTable& table) {
  constexpr Types<kU32, kS32, kU64, kS64> kWide;
  rows<AddWithCarry>(table, kWide, "add", "addc", std::make_integer_sequence<int, 2>{});
  rows<SubtractWithBorrow>(table, kWide, "sub", "subc", std::make_integer_sequence<int, 2>{});
  rows<MultiplyLowAdd>(table, kWide, "mad.lo", "madc.lo", std::make_integer_sequence<int, 3>{});
  rows<MultiplyHighAdd>(table, kWide, "mad.hi", "madc.hi", std::make_integer_sequence<int, 3>{});
}

}  // namespace cudalab::vgpu::CUDALAB_LEVEL
