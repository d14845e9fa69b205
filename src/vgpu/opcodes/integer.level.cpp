// Integer arithmetic (PTX ISA, "Integer Arithmetic Instructions"). Everything wraps, as on the card.
#include <limits>

#include "vgpu/opcodes/lanes.h"

namespace cudalab::vgpu::CUDALAB_LEVEL {
namespace {

// Arithmetic on the unsigned type of the same width never overflows in C++'s sense.
template <class T> auto wrap(T value) {
  using U = std::make_unsigned_t<T>;
  // 16-bit operands would be promoted to int, whose product can overflow.
  if constexpr (sizeof(T) < 4)
    return static_cast<std::uint32_t>(static_cast<U>(value));
  else
    return static_cast<U>(value);
}

// Division by zero gives all ones on the card (the ISA leaves it unspecified), and the smallest integer over -1 itself.
template <class T> T divide(T a, T b) {
  if (b == 0) return static_cast<T>(~T{0});
  if constexpr (std::is_signed_v<T>)
    if (b == -1) return static_cast<T>(0 - wrap(a));
  return static_cast<T>(a / b);
}
template <class T> T remainder(T a, T b) {
  if (b == 0) return a;
  if constexpr (std::is_signed_v<T>)
    if (b == -1) return 0;
  return static_cast<T>(a % b);
}

template <class T> struct WiderOf;
template <> struct WiderOf<std::uint16_t> { using type = std::uint32_t; };
template <> struct WiderOf<std::int16_t> { using type = std::int32_t; };
template <> struct WiderOf<std::uint32_t> { using type = std::uint64_t; };
template <> struct WiderOf<std::int32_t> { using type = std::int64_t; };
template <> struct WiderOf<std::uint64_t> { using type = unsigned __int128; };
template <> struct WiderOf<std::int64_t> { using type = __int128; };
template <class T> using Wider = typename WiderOf<T>::type;

constexpr auto kAdd = [](auto a, auto b) { return wrap(a) + wrap(b); };
constexpr auto kMulHigh = [](auto a, auto b) {
  using T = decltype(a);
  return static_cast<T>((Wider<T>{a} * b) >> (8 * sizeof(T)));
};

template <Type W, Type N> void wide_rows(OpcodeTable& table) {
  row<W, N, N>(table, with_type("mul.wide", N), [](auto a, auto b) { return Wider<decltype(a)>{a} * b; });
  row<W, N, N, W>(table, with_type("mad.wide", N), [](auto a, auto b, auto c) {
    return wrap(c) + static_cast<std::make_unsigned_t<decltype(c)>>(Wider<decltype(a)>{a} * b);
  });
}

}  // namespace

void add_integer_rows(OpcodeTable& table) {
  op<2>(table, kInts, "add", kAdd);
  op<2>(table, kInts, "sub", [](auto a, auto b) { return wrap(a) - wrap(b); });
  op<2>(table, kInts, "mul.lo", [](auto a, auto b) { return wrap(a) * wrap(b); });
  op<3>(table, kInts, "mad.lo", [](auto a, auto b, auto c) { return wrap(a) * wrap(b) + wrap(c); });
  op<2>(table, kInts, "mul.hi", kMulHigh);
  op<3>(table, kInts, "mad.hi", [](auto a, auto b, auto c) { return wrap(decltype(kMulHigh){}(a, b)) + wrap(c); });
  wide_rows<kU32, kU16>(table);
  wide_rows<kS32, kS16>(table);
  wide_rows<kU64, kU32>(table);
  wide_rows<kS64, kS32>(table);
  op<2>(table, kInts, "div", [](auto a, auto b) { return divide(a, b); });
  op<2>(table, kInts, "rem", [](auto a, auto b) { return remainder(a, b); });
  op<2>(table, kInts, "min", [](auto a, auto b) { return a < b ? a : b; });
  op<2>(table, kInts, "max", [](auto a, auto b) { return a > b ? a : b; });
  op<1>(table, kSigned, "neg", [](auto a) { return 0 - wrap(a); });
  op<1>(table, kSigned, "abs", [](auto a) { return a < 0 ? 0 - wrap(a) : wrap(a); });
}

}  // namespace cudalab::vgpu::CUDALAB_LEVEL
