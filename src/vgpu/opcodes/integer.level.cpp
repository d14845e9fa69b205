// Integer arithmetic (PTX ISA, "Integer Arithmetic Instructions"). Everything wraps, as on a GPU.
#include <limits>

#include "vgpu/opcodes/lanes.h"

namespace cudalab::vgpu::CUDALAB_LEVEL {
namespace {

// Arithmetic on the unsigned type of the same width has no undefined overflow in C++.
template <class T>
auto wrap(T value) {
  using U = std::make_unsigned_t<T>;
  // 16-bit operands would be promoted to int, whose product can overflow.
  if constexpr (sizeof(T) < 4)
    return static_cast<std::uint32_t>(static_cast<U>(value));
  else
    return static_cast<U>(value);
}

// On a GPU, division by zero gives all ones, also for the remainder (the ISA leaves it unspecified); the
// smallest integer divided by -1 gives itself.
template <class T>
T divide(T a, T b) {
  if (b == 0) return static_cast<T>(~T{0});
  if constexpr (std::is_signed_v<T>)
    if (b == -1) return static_cast<T>(0 - wrap(a));
  return static_cast<T>(a / b);
}
template <class T>
T remainder(T a, T b) {
  if (b == 0) return static_cast<T>(~T{0});
  if constexpr (std::is_signed_v<T>)
    if (b == -1) return 0;
  return static_cast<T>(a % b);
}

template <class T>
struct WiderOf;
template <>
struct WiderOf<std::uint16_t> {
  using type = std::uint32_t;
};
template <>
struct WiderOf<std::int16_t> {
  using type = std::int32_t;
};
template <>
struct WiderOf<std::uint32_t> {
  using type = std::uint64_t;
};
template <>
struct WiderOf<std::int32_t> {
  using type = std::int64_t;
};
template <>
struct WiderOf<std::uint64_t> {
  using type = unsigned __int128;
};
template <>
struct WiderOf<std::int64_t> {
  using type = __int128;
};
template <class T>
using Wider = typename WiderOf<T>::type;

constexpr auto kAdd = [](auto a, auto b) { return wrap(a) + wrap(b); };
constexpr auto kMin = [](auto a, auto b) { return a < b ? a : b; };
constexpr auto kMax = [](auto a, auto b) { return a > b ? a : b; };
constexpr auto kMulHigh = [](auto a, auto b) {
  using T = decltype(a);
  return static_cast<T>((Wider<T>{a} * b) >> (8 * sizeof(T)));
};

template <Type W, Type N>
void wide_rows(OpcodeTable& table) {
  row<W, N, N>(table, with_type("mul.wide", N), [](auto a, auto b) { return Wider<decltype(a)>{a} * b; });
  row<W, N, N, W>(table, with_type("mad.wide", N), [](auto a, auto b, auto c) {
    return wrap(c) + static_cast<std::make_unsigned_t<decltype(c)>>(Wider<decltype(a)>{a} * b);
  });
}

// .sat: clamps to the range of the type.
std::int32_t saturate(std::int64_t value) {
  constexpr std::int64_t kMin = std::numeric_limits<std::int32_t>::min(),
                         kMax = std::numeric_limits<std::int32_t>::max();
  return static_cast<std::int32_t>(value < kMin ? kMin : value > kMax ? kMax : value);
}
template <class T>
T limited_below(T value) {
  return value < 0 ? T{0} : value;
}  // .relu

// ---- 24 bits -----------------------------------------------------------------------------------------
std::int64_t low24(std::int32_t a) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(a) << 8) >> 8;
}
std::uint64_t low24(std::uint32_t a) { return a & 0xff'ffff; }
constexpr auto kMul24Low = [](auto a, auto b) { return static_cast<decltype(a)>(low24(a) * low24(b)); };
constexpr auto kMul24High = [](auto a, auto b) {
  return static_cast<decltype(a)>((low24(a) * low24(b)) >> 16);
};

void add_24_bit_rows(OpcodeTable& table) {
  constexpr Types<kU32, kS32> kWords;
  op<2>(table, kWords, "mul24.lo", kMul24Low);
  op<2>(table, kWords, "mul24.hi", kMul24High);
  op<3>(table, kWords, "mad24.lo",
        [](auto a, auto b, auto c) { return wrap(decltype(kMul24Low){}(a, b)) + wrap(c); });
  op<3>(table, kWords, "mad24.hi",
        [](auto a, auto b, auto c) { return wrap(decltype(kMul24High){}(a, b)) + wrap(c); });
  op<3>(table, Types<kS32>{}, "mad24.hi.sat",
        [](auto a, auto b, auto c) { return saturate(std::int64_t{decltype(kMul24High){}(a, b)} + c); });
}

// ---- saturation, rectification, two 16-bit numbers per register --------------------------------------
void add_saturating_rows(OpcodeTable& table) {
  constexpr Types<kS32> kWord;
  op<2>(table, kWord, "add.sat", [](auto a, auto b) { return saturate(std::int64_t{a} + b); });
  op<2>(table, kWord, "sub.sat", [](auto a, auto b) { return saturate(std::int64_t{a} - b); });
  op<3>(table, kWord, "mad.hi.sat",
        [](auto a, auto b, auto c) { return saturate(std::int64_t{decltype(kMulHigh){}(a, b)} + c); });
}

// Compilers write `.relu` after the type, the manual writes it before the type.
template <class F>
void rectified_rows(OpcodeTable& table, const std::string& name, F) {
  constexpr auto kRectified = [](auto a, auto b) { return limited_below(F{}(a, b)); };
  for (const std::string& opcode : {name + ".s32.relu", name + ".relu.s32"})
    row<kS32, kS32, kS32>(table, opcode, kRectified);
  for (const std::string& opcode : {name + ".s16x2.relu", name + ".relu.s16x2"})
    pair_row<std::int16_t, 2>(table, opcode, kB32, kB32, kRectified);
}
template <class F>
void packed_rows(OpcodeTable& table, const std::string& name, F f) {
  pair_row<std::uint16_t, 2>(table, name + ".u16x2", kB32, kB32, f);
  pair_row<std::int16_t, 2>(table, name + ".s16x2", kB32, kB32, f);
}

}  // namespace

void add_integer_rows(OpcodeTable& table) {
  op<2>(table, kInts, "add", kAdd);
  op<2>(table, kInts, "sub", [](auto a, auto b) { return wrap(a) - wrap(b); });
  op<2>(table, kInts, "mul.lo", [](auto a, auto b) { return wrap(a) * wrap(b); });
  op<3>(table, kInts, "mad.lo", [](auto a, auto b, auto c) { return wrap(a) * wrap(b) + wrap(c); });
  op<2>(table, kInts, "mul.hi", kMulHigh);
  op<3>(table, kInts, "mad.hi",
        [](auto a, auto b, auto c) { return wrap(decltype(kMulHigh){}(a, b)) + wrap(c); });
  wide_rows<kU32, kU16>(table);
  wide_rows<kS32, kS16>(table);
  wide_rows<kU64, kU32>(table);
  wide_rows<kS64, kS32>(table);
  op<2>(table, kInts, "div", [](auto a, auto b) { return divide(a, b); });
  op<2>(table, kInts, "rem", [](auto a, auto b) { return remainder(a, b); });
  op<2>(table, kInts, "min", kMin);
  op<2>(table, kInts, "max", kMax);
  op<1>(table, kSigned, "neg", [](auto a) { return 0 - wrap(a); });
  op<1>(table, kSigned, "abs", [](auto a) { return a < 0 ? 0 - wrap(a) : wrap(a); });
  op<3>(table, kInts, "sad",
        [](auto a, auto b, auto c) { return wrap(c) + (a < b ? wrap(b) - wrap(a) : wrap(a) - wrap(b)); });
  add_24_bit_rows(table);
  add_saturating_rows(table);
  rectified_rows(table, "min", kMin);
  rectified_rows(table, "max", kMax);
  packed_rows(table, "min", kMin);
  packed_rows(table, "max", kMax);
  packed_rows(table, "add", [](auto a, auto b) { return static_cast<decltype(a)>(a + b); });
}

}  // namespace cudalab::vgpu::CUDALAB_LEVEL
