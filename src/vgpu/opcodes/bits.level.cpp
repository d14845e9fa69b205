// Bit fields, permutations, bit counts and dot products of narrow integers (PTX ISA, "Integer Arithmetic
// Instructions" and "Logic and Shift Instructions").
#include <bit>
#include <cstdlib>
#include <limits>

#include "vgpu/opcodes/lanes.h"

namespace cudalab::vgpu::CUDALAB_LEVEL {
namespace {

using std::uint32_t, std::int32_t, std::uint64_t, std::int64_t;

template <class T>
inline constexpr uint32_t kWidth = 8 * sizeof(T);

// ---- counting ----------------------------------------------------------------------------------------
template <class T>
T reverse_bits(T value) {
  T reversed = 0;
  for (uint32_t bit = 0; bit < kWidth<T>; ++bit) reversed |= (value >> bit & 1) << (kWidth<T> - 1 - bit);
  return reversed;
}

// The highest bit that differs from the sign; all ones if there is none.
template <class T>
uint32_t find_highest(T value) {
  using U = std::make_unsigned_t<T>;
  const U bits = value < 0 ? ~static_cast<U>(value) : static_cast<U>(value);
  return static_cast<uint32_t>(kWidth<T> - 1 - std::countl_zero(bits));
}
template <class T>
uint32_t shift_to_top(T value) {
  const uint32_t position = find_highest(value);
  return position == ~0u ? position : kWidth<T> - 1 - position;
}

// The offset-th set bit from `base` on, upwards or downwards. The smallest offset overflows on a GPU, which
// then returns 0.
[[gnu::noinline]] uint32_t find_nth_set(uint32_t mask, uint32_t base, int32_t offset) {
  if (offset == std::numeric_limits<int32_t>::min()) return 0;
  const auto is_set = [&](int64_t position) { return (mask >> position & 1) != 0; };
  int64_t position = static_cast<int32_t>(base);
  if (offset == 0) return position >= 0 && position < 32 && is_set(position) ? base : ~0u;
  const int step = offset > 0 ? 1 : -1;
  for (int64_t left = std::abs(int64_t{offset}); position >= 0 && position < 32; position += step)
    if (is_set(position) && --left == 0) return static_cast<uint32_t>(position);
  return ~0u;
}

// ---- bit fields --------------------------------------------------------------------------------------
// For 32-bit fields, a GPU uses the low 8 bits of positions and lengths; for 64-bit fields, all bits.
template <class T>
uint32_t field_operand(uint32_t value) {
  return sizeof(T) == 4 ? value & 0xff : value;
}

template <class T>
T ones(uint32_t count) {
  return count >= kWidth<T> ? ~T{0} : static_cast<T>((T{1} << count) - 1);
}

template <class T>
T extract(T value, uint32_t position, uint32_t length) {
  position = field_operand<T>(position), length = field_operand<T>(length);
  using U = std::make_unsigned_t<T>;
  if constexpr (std::is_unsigned_v<T>) {
    const T moved = position < kWidth<T> ? value >> (position & (kWidth<T> - 1)) : T{0};
    return moved & ones<T>(length);
  } else {
    // Bits above the top are copies of the sign.
    const T moved = value >> (position < kWidth<T> ? position : kWidth<T> - 1);
    const uint32_t unused = length == 0 || length >= kWidth<T> ? 0 : kWidth<T> - length;
    const T widened = static_cast<T>(static_cast<U>(moved) << unused) >> unused;
    return length == 0 ? T{0} : widened;
  }
}

template <class T>
T insert(T field, T into, uint32_t position, uint32_t length) {
  position = field_operand<T>(position), length = field_operand<T>(length);
  const uint32_t shift = position & (kWidth<T> - 1);
  const T mask = position < kWidth<T> ? static_cast<T>(ones<T>(length) << shift) : T{0};
  return (into & ~mask) | (static_cast<T>(field << shift) & mask);
}

// bmsk: `length` ones from `position` on. Clamped: a position above 31 gives no ones, a length above 31 all.
template <bool Clamp>
uint32_t make_mask(uint32_t position, uint32_t length) {
  const uint32_t from = position & 31, count = length & 31;
  const bool reaches_top = from + count >= 32 || (Clamp && length >= 32);
  const uint32_t low = Clamp && position >= 32 ? 0 : ~0u << from;
  return low & ~(reaches_top ? 0u : ~0u << ((from + count) & 31));
}

// szext: the low `length` bits, extended with zeros or with their sign.
template <bool Clamp, class T>
uint32_t extend(T value, uint32_t length) {
  const uint32_t count = length & 31;
  const bool whole = Clamp && length >= 32;
  const uint32_t above = whole ? 0 : ~0u << count;
  const bool negative =
      std::is_signed_v<T> && count != 0 && (static_cast<uint32_t>(value) >> ((count - 1) & 31) & 1);
  const uint32_t low = static_cast<uint32_t>(value) & ~above;
  return negative && !whole ? low | above : low;
}

// ---- shifts of two registers -------------------------------------------------------------------------
uint64_t join(uint32_t low, uint32_t high) { return uint64_t{high} << 32 | low; }
template <bool Clamp>
uint32_t shift_count(uint32_t count) {
  return Clamp ? (count < 32 ? count : 32) : count & 31;
}
template <bool Clamp>
uint32_t funnel_left(uint32_t low, uint32_t high, uint32_t count) {
  return static_cast<uint32_t>(join(low, high) << shift_count<Clamp>(count) >> 32);
}
template <bool Clamp>
uint32_t funnel_right(uint32_t low, uint32_t high, uint32_t count) {
  return static_cast<uint32_t>(join(low, high) >> shift_count<Clamp>(count));
}

// ---- prmt --------------------------------------------------------------------------------------------
// Each hexadecimal digit of the selector chooses one of eight bytes; the digit's top bit replicates that
// byte's sign into all 8 bits.
uint32_t permute(uint32_t a, uint32_t b, uint32_t selector) {
  const uint64_t bytes = join(a, b);
  uint32_t result = 0;
  for (int i = 0; i < 4; ++i) {
    const uint32_t digit = selector >> (4 * i) & 15;
    const auto byte = static_cast<uint32_t>(bytes >> (8 * (digit & 7))) & 0xff;
    const uint32_t sign = byte & 0x80 ? 0xff : 0;
    result |= (digit & 8 ? sign : byte) << (8 * i);
  }
  return result;
}

// The other modes are permutations with a selector chosen by the low two bits of c.
template <uint32_t S0, uint32_t S1, uint32_t S2, uint32_t S3>
struct PermuteBy {
  uint32_t operator()(uint32_t a, uint32_t b, uint32_t c) const {
    const uint32_t low = c & 1 ? S1 : S0, high = c & 1 ? S3 : S2;
    return permute(a, b, c & 2 ? high : low);
  }
};

// lop3: bit (a, b, c) of the table, as a sum of the eight products.
uint32_t logic3(uint32_t a, uint32_t b, uint32_t c, uint32_t table) {
  uint32_t result = 0;
  for (uint32_t i = 0; i < 8; ++i) {
    const uint32_t chosen = 0 - (table >> i & 1);
    result |= chosen & (i & 4 ? a : ~a) & (i & 2 ? b : ~b) & (i & 1 ? c : ~c);
  }
  return result;
}

// ---- sums over the parts of a register ---------------------------------------------------------------
template <class T>
T part(uint32_t value, int index) {
  return static_cast<T>(value >> (kWidth<T> * index));
}

template <class A, class B>
uint32_t dot4(uint32_t a, uint32_t b, uint32_t c) {
  for (int i = 0; i < 4; ++i) c += static_cast<uint32_t>(int32_t{part<A>(a, i)} * int32_t{part<B>(b, i)});
  return c;
}
// Two 16-bit numbers of a times two bytes of b, from its lower or upper half.
template <class A, class B, int First>
uint32_t dot2(uint32_t a, uint32_t b, uint32_t c) {
  using Wide = std::conditional_t<std::is_signed_v<A>, std::int16_t, std::uint16_t>;
  for (int i = 0; i < 2; ++i)
    c += static_cast<uint32_t>(int32_t{part<Wide>(a, i)} * int32_t{part<B>(b, First + i)});
  return c;
}

template <class T>
int32_t distance(uint32_t a, uint32_t b, int index) {
  const int32_t difference = int32_t{part<T>(a, index)} - int32_t{part<T>(b, index)};
  return difference < 0 ? -difference : difference;
}
template <class T>
uint32_t distances(uint32_t a, uint32_t b, uint32_t) {
  uint32_t result = 0;
  for (uint32_t i = 0; i < 32 / kWidth<T>; ++i)
    result |= static_cast<uint32_t>(distance<T>(a, b, static_cast<int>(i))) << (kWidth<T> * i);
  return result;
}
template <class T>
uint32_t distance_sum(uint32_t a, uint32_t b, uint32_t c) {
  for (uint32_t i = 0; i < 32 / kWidth<T>; ++i)
    c += static_cast<uint32_t>(distance<T>(a, b, static_cast<int>(i)));
  return c;
}

// ---- rows --------------------------------------------------------------------------------------------
template <class F>
void words3(OpcodeTable& table, const char* name, F f) {
  row<kB32, kB32, kB32, kU32>(table, name, f);
}

void add_count_rows(OpcodeTable& table) {
  const auto count = [&]<Type T>() {
    row<kU32, T>(table, with_type("popc", T), [](auto a) { return std::popcount(a); });
    row<kU32, T>(table, with_type("clz", T), [](auto a) { return std::countl_zero(a); });
    row<T, T>(table, with_type("brev", T), [](auto a) { return reverse_bits(a); });
  };
  count.operator()<kB32>();
  count.operator()<kB64>();
  const auto find = [&]<Type T>() {
    row<kU32, T>(table, with_type("bfind", T), [](auto a) { return find_highest(a); });
    row<kU32, T>(table, with_type("bfind.shiftamt", T), [](auto a) { return shift_to_top(a); });
  };
  find.operator()<kU32>();
  find.operator()<kS32>();
  find.operator()<kU64>();
  find.operator()<kS64>();
  row<kB32, kB32, kB32, kS32>(table, "fns.b32", [](auto a, auto b, auto c) { return find_nth_set(a, b, c); });
}

void add_field_rows(OpcodeTable& table) {
  const auto field = [&]<Type T>() {
    row<T, T, kU32, kU32>(table, with_type("bfe", T),
                          [](auto a, auto b, auto c) { return extract(a, b, c); });
  };
  field.operator()<kU32>();
  field.operator()<kS32>();
  field.operator()<kU64>();
  field.operator()<kS64>();
  const auto kInsert = [](auto a, auto b, auto c, auto d) { return insert(a, b, c, d); };
  row<kB32, kB32, kB32, kU32, kU32>(table, "bfi.b32", kInsert);
  row<kB64, kB64, kB64, kU32, kU32>(table, "bfi.b64", kInsert);
  row<kB32, kU32, kU32>(table, "bmsk.clamp.b32", [](auto a, auto b) { return make_mask<true>(a, b); });
  row<kB32, kU32, kU32>(table, "bmsk.wrap.b32", [](auto a, auto b) { return make_mask<false>(a, b); });
  row<kU32, kU32, kU32>(table, "szext.clamp.u32", [](auto a, auto b) { return extend<true>(a, b); });
  row<kS32, kS32, kU32>(table, "szext.clamp.s32", [](auto a, auto b) { return extend<true>(a, b); });
  row<kU32, kU32, kU32>(table, "szext.wrap.u32", [](auto a, auto b) { return extend<false>(a, b); });
  row<kS32, kS32, kU32>(table, "szext.wrap.s32", [](auto a, auto b) { return extend<false>(a, b); });
}

void add_word_rows(OpcodeTable& table) {
  words3(table, "shf.l.clamp.b32", [](auto a, auto b, auto c) { return funnel_left<true>(a, b, c); });
  words3(table, "shf.l.wrap.b32", [](auto a, auto b, auto c) { return funnel_left<false>(a, b, c); });
  words3(table, "shf.r.clamp.b32", [](auto a, auto b, auto c) { return funnel_right<true>(a, b, c); });
  words3(table, "shf.r.wrap.b32", [](auto a, auto b, auto c) { return funnel_right<false>(a, b, c); });
  words3(table, "prmt.b32", [](auto a, auto b, auto c) { return permute(a, b, c); });
  words3(table, "prmt.b32.f4e", PermuteBy<0x3210, 0x4321, 0x5432, 0x6543>{});
  words3(table, "prmt.b32.b4e", PermuteBy<0x5670, 0x6701, 0x7012, 0x0123>{});
  words3(table, "prmt.b32.rc8", PermuteBy<0x0000, 0x1111, 0x2222, 0x3333>{});
  words3(table, "prmt.b32.ecl", PermuteBy<0x3210, 0x3211, 0x3222, 0x3333>{});
  words3(table, "prmt.b32.ecr", PermuteBy<0x0000, 0x1110, 0x2210, 0x3210>{});
  words3(table, "prmt.b32.rc16", PermuteBy<0x1010, 0x3232, 0x1010, 0x3232>{});
  row<kB32, kB32, kB32, kB32, kB32>(table, "lop3.b32",
                                    [](auto a, auto b, auto c, auto d) { return logic3(a, b, c, d); });
}

template <Type R, class A, class B>
void dot_rows(OpcodeTable& table, const std::string& types) {
  row<R, kB32, kB32, R>(table, "dp4a" + types, [](auto a, auto b, auto c) { return dot4<A, B>(a, b, c); });
  row<R, kB32, kB32, R>(table, "dp2a.lo" + types,
                        [](auto a, auto b, auto c) { return dot2<A, B, 0>(a, b, c); });
  row<R, kB32, kB32, R>(table, "dp2a.hi" + types,
                        [](auto a, auto b, auto c) { return dot2<A, B, 2>(a, b, c); });
}
template <class T>
void distance_rows(OpcodeTable& table, const std::string& name) {
  words3(table, name.c_str(), [](auto a, auto b, auto c) { return distances<T>(a, b, c); });
  words3(table, (name + ".add").c_str(), [](auto a, auto b, auto c) { return distance_sum<T>(a, b, c); });
}

}  // namespace

void add_bits_rows(OpcodeTable& table) {
  add_count_rows(table);
  add_field_rows(table);
  add_word_rows(table);
  dot_rows<kU32, std::uint8_t, std::uint8_t>(table, ".u32.u32");
  dot_rows<kS32, std::uint8_t, std::int8_t>(table, ".u32.s32");
  dot_rows<kS32, std::int8_t, std::uint8_t>(table, ".s32.u32");
  dot_rows<kS32, std::int8_t, std::int8_t>(table, ".s32.s32");
  distance_rows<std::uint8_t>(table, "vabsdiff4.u32.u32.u32");
  distance_rows<std::int8_t>(table, "vabsdiff4.u32.s32.s32");
  distance_rows<std::uint16_t>(table, "vabsdiff2.u32.u32.u32");
  distance_rows<std::int16_t>(table, "vabsdiff2.u32.s32.s32");
}

}  // namespace cudalab::vgpu::CUDALAB_LEVEL
