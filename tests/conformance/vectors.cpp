#include "vectors.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <random>

#include "core/digest.h"

namespace cudalab::conformance {
namespace {

using Values = std::vector<std::uint64_t>;
using Random = std::mt19937_64;

// The most revealing values come first, because all their combinations are tried.
const Values kSingle{0x00000000, 0x80000000, 0x3f800000, 0xbf800000, 0x00000001, 0x80000001, 0x7f800000,
                     0xff800000, 0x7fc12345, 0x007fffff, 0x00800000, 0x7f7fffff, 0x3f7fffff, 0xff812345,
                     0x3f000000, 0x3fc00000, 0x40200000, 0xc0200000, 0xbf000000, 0x3f800001, 0x00800001,
                     0x00ffffff, 0x01000000, 0x7effffff, 0x7f000000, 0x4b000000, 0x4b800001, 0x4f000000,
                     0xcf000000, 0x4f800000, 0x5f000000, 0xdf000000, 0x5f800000, 0x477fe000, 0x477ff000,
                     0x33800000, 0x38800000, 0x387fffff, 0x33000000, 0x33000001, 0x437f8000, 0x42ff0000,
                     0x43000000, 0xc3008000, 0x46fffe00, 0xc7000000, 0x477fff80, 0x7e800000, 0x7e800001,
                     0x7f7f8000, 0x7f7f7fff, 0x3f808000, 0x3f818000, 0x3f801000, 0x3f803000, 0x40490fdb,
                     0x3fc90fdb, 0xc0490fdb, 0x4016cbe4, 0x42c80000, 0x80800000, 0x807fffff, 0xff7fffff,
                     0x7f800001, 0xffffffff, 0x7fffffff, 0x4effffff, 0x4f7fffff};
const Values kDouble{
    0x0000000000000000, 0x8000000000000000, 0x3ff0000000000000, 0xbff0000000000000, 0x0000000000000001,
    0x8000000000000001, 0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000012345678, 0x000fffffffffffff,
    0x0010000000000000, 0x7fefffffffffffff, 0x3fefffffffffffff, 0xfff0000012345678, 0x3fe0000000000000,
    0x3ff8000000000000, 0x4004000000000000, 0xc004000000000000, 0xbfe0000000000000, 0x3ff0000000000001,
    0x0010000000000001, 0x001fffffffffffff, 0x0020000000000000, 0x7fdfffffffffffff, 0x4330000000000000,
    0x4340000000000001, 0x41e0000000000000, 0xc1e0000000000000, 0x41f0000000000000, 0x43e0000000000000,
    0xc3e0000000000000, 0x43f0000000000000, 0x41dfffffffc00000, 0x41dfffffffe00000, 0x41efffffffe00000,
    0x36a0000000000000, 0x3690000000000000, 0x3690000000000001, 0x380fffffe0000000, 0x380fffffffffffff,
    0x3810000000000000, 0x47efffffe0000000, 0x47efffffefffffff, 0x47effffff0000000, 0x47f0000000000000,
    0x3ff0000010000000, 0x3ff0000030000000, 0x3ff0000010000001, 0x406fe00000000000, 0x406ff00000000000,
    0x40efffc000000000, 0x40f0000000000000, 0x3f10000000000000, 0x3e70000000000000, 0x3e60000000000000,
    0x8010000000000000, 0xffefffffffffffff, 0x7ff0000000000001, 0xffffffffffffffff, 0x0000000080000000,
    0x3ff00000ffffffff, 0x7fe0000000000000, 0x7fd0000000000000, 0x43dfffffffffffff};
const Values kHalf{0x0000, 0x8000, 0x3c00, 0xbc00, 0x0001, 0x8001, 0x7c00, 0xfc00, 0x7e12,
                   0x03ff, 0x0400, 0x7bff, 0x3bff, 0xfd12, 0x3800, 0x3e00, 0x4100, 0xc100,
                   0xb800, 0x3c01, 0x0401, 0x07ff, 0x0800, 0x77ff, 0x7800, 0x6400, 0x6401,
                   0x57f8, 0x5bf8, 0xd808, 0x4248, 0x4000, 0x7c01, 0x7fff, 0xffff, 0xfbff};
const Values kBrain{0x0000, 0x8000, 0x3f80, 0xbf80, 0x0001, 0x8001, 0x7f80, 0xff80, 0x7fc1,
                    0x007f, 0x0080, 0x7f7f, 0x3f7f, 0xff81, 0x3f00, 0x3fc0, 0x4020, 0xc020,
                    0xbf00, 0x3f81, 0x0081, 0x00ff, 0x0100, 0x7eff, 0x7f00, 0x4300, 0x4301,
                    0x4f00, 0xcf00, 0x4f80, 0x5f00, 0x5f80, 0x7f81, 0x7fff, 0xffff, 0xff7f};
const Values kInteger{0x0,
                      0x1,
                      0xffffffffffffffff,
                      0x8000000080008080,
                      0x7fffffff7fff7f7f,
                      0x20,
                      0x1f,
                      0x40,
                      0x2,
                      0x8000000080008081,
                      0x7fffffff7fff7f7e,
                      0x3f,
                      0x21,
                      0x41,
                      0x10,
                      0xf,
                      0x8,
                      0x7,
                      0xff,
                      0x100,
                      0xffff,
                      0x10000,
                      0x80,
                      0x7f,
                      0x8000,
                      0x7fff,
                      0x80000000,
                      0x7fffffff,
                      0xffffffff,
                      0x100000000,
                      0x8000000000000000,
                      0x7fffffffffffffff,
                      0xffffffff80000000,
                      0xffffffff7fffffff,
                      0xffffffffffff8000,
                      0xffffffffffffff80,
                      0x0123456789abcdef,
                      0xfedcba9876543210,
                      0xffffff,
                      0x1000000,
                      0x1000001,
                      0x1000003,
                      0x20000000000001,
                      0x20000000000003,
                      0xfffffffffffffbff,
                      0xfffffffffffffc00,
                      0xfffffffffffffe00,
                      0xffffff80,
                      0xffffff7f,
                      0xffffffffff,
                      0x00ff00ff00ff00ff};

struct Kind {
  const Values* special;
  int bits, fraction_bits;  // fraction_bits: 0 for integers
  bool pair;
};
Kind kind_of(const std::string& type) {
  if (type == "f32") return {&kSingle, 32, 23, false};
  if (type == "f64") return {&kDouble, 64, 52, false};
  if (type == "f16") return {&kHalf, 16, 10, false};
  if (type == "bf16") return {&kBrain, 16, 7, false};
  if (type == "f16x2") return {&kHalf, 16, 10, true};
  if (type == "bf16x2") return {&kBrain, 16, 7, true};
  if (type == "pred" || type == "carry") return {&kInteger, 1, 0, false};
  const auto known = ptx::type_named(type);
  return {&kInteger, static_cast<int>(8 * ptx::info(*known).bytes), 0, false};
}

std::uint64_t low_bits(std::uint64_t value, int bits) {
  return bits == 64 ? value : value & ((1ull << bits) - 1);
}
std::uint64_t special(const Kind& kind, std::size_t index) {
  return low_bits((*kind.special)[index % kind.special->size()], kind.bits);
}

// A number of moderate size: sums of two such numbers cancel, and products neither overflow nor vanish.
std::uint64_t moderate(const Kind& kind, Random& random) {
  if (kind.fraction_bits == 0) return low_bits(random() >> random() % 64, kind.bits);
  const int exponent_bits = kind.bits - 1 - kind.fraction_bits;
  const std::uint64_t bias = (1ull << (exponent_bits - 1)) - 1;
  const std::uint64_t exponent = bias - 3 + random() % 7;
  return (random() & 1) << (kind.bits - 1) | exponent << kind.fraction_bits |
         low_bits(random(), kind.fraction_bits);
}
std::uint64_t one_value(const Kind& kind, Random& random) {
  switch (random() % 8) {
    case 0:
    case 1: return special(kind, random());
    case 2:
    case 3: return low_bits(random(), kind.bits);
    case 4: return low_bits(random() % 72, kind.bits);  // counts and positions; subnormal numbers
    default: return moderate(kind, random);
  }
}
std::uint64_t any_value(const Kind& kind, Random& random) {
  const std::uint64_t low = one_value(kind, random);
  return kind.pair ? low | one_value(kind, random) << 16 : low;
}

// The number of special values for which all combinations of this many operands can be tried.
std::size_t combined(std::size_t operands, std::size_t count) {
  std::size_t side = 1;
  const std::size_t longest = kSingle.size();
  while (side < longest && std::pow(side + 1, operands) <= 0.6 * static_cast<double>(count)) ++side;
  return side;
}

// Addends near the negative of the other operand: when sums cancel, rounding errors show.
template <class Float, class Bits>
void cancel(std::vector<vgpu::recorded::Column>& columns, std::size_t i, Random& random) {
  const auto value = [&](std::size_t column) {
    return std::bit_cast<Float>(static_cast<Bits>(columns[column].values[i]));
  };
  const Float sum = columns.size() == 2 ? -value(0) : -(value(0) * value(1));
  columns.back().values[i] = static_cast<Bits>(std::bit_cast<Bits>(sum) + random() % 5 - 2);
}

// ---- extremes ----------------------------------------------------------------------------------------
// What only floating-point operands of one type have: two NaNs at once, and results about the smallest
// normal.
constexpr std::size_t kExtremes = 64;
bool all_are(const std::vector<std::string>& types, const char* type) {
  return types.size() >= 2 &&
         std::all_of(types.begin(), types.end(), [&](const auto& each) { return each == type; });
}

constexpr std::uint64_t kNans[] = {0x7ff8000000000001, 0x7ff800000000ffff, 0xfff8000000000002,
                                   0x7ff0000000000003, 0xfff0000000000004, 0x7fffffffffffffff,
                                   0xfff800000000abcd, 0x7ff4000000000000};
void put_nans(std::vector<vgpu::recorded::Column>& columns, std::size_t i, std::size_t number,
              Random& random) {
  for (auto& column : columns) {
    const bool number_instead = columns.size() > 2 && random() % 3 == 0;
    column.values[i] = number_instead ? 0x4000000000000000 : kNans[number % 8];
    number = columns.size() > 2 ? random() : number / 8;
  }
}

// Products and quotients within a few units of 2^-126.
void put_borders(std::vector<vgpu::recorded::Column>& columns, std::size_t i, Random& random) {
  const bool product = random() % 2 == 0;
  const auto exponent = static_cast<std::uint32_t>(product ? 107 + random() % 40 : 20 + random() % 90);
  const auto a = std::bit_cast<float>(exponent << 23 | static_cast<std::uint32_t>(low_bits(random(), 23)));
  const float b = product ? 0x1p-126f / a : a * 0x1p126f;
  columns[0].values[i] = std::bit_cast<std::uint32_t>(a) | (random() & 1) << 31;
  columns[1].values[i] = std::bit_cast<std::uint32_t>(b) + random() % 5 - 2;
  if (columns.size() > 2) columns[2].values[i] = random() % 2 ? 0 : 0x80000000;
}

}  // namespace

std::size_t extremes_for(const std::vector<std::string>& types) {
  return all_are(types, "f32") || all_are(types, "f64") ? kExtremes : 0;
}

std::vector<vgpu::recorded::Column> make_inputs(const std::vector<std::string>& types, std::size_t count) {
  std::string name;
  std::vector<vgpu::recorded::Column> columns;
  std::vector<Kind> kinds;
  for (const std::string& type : types) {
    name += type;
    columns.push_back({type, Values(count)});
    kinds.push_back(kind_of(type));
  }
  std::uint64_t seed = fnv_hash(name);  // the same everywhere
  Random random(seed + count);
  const std::size_t side = combined(types.size(), count);
  std::size_t combinations = 1;
  for (std::size_t operand = 0; operand < types.size(); ++operand) combinations *= side;
  for (std::size_t i = 0; i < count; ++i) {
    std::size_t rest = i;
    for (std::size_t operand = 0; operand < types.size(); ++operand, rest /= side) {
      const Kind& kind = kinds[operand];
      std::uint64_t value = any_value(kind, random);
      if (i < combinations) value = special(kind, rest % side) | (kind.pair ? value & 0xffff0000 : 0);
      columns[operand].values[i] = value;
    }
    if (i >= combinations && types.size() >= 2 && random() % 4 == 0) {
      if (types.back() == "f32" && types.front() == "f32") cancel<float, std::uint32_t>(columns, i, random);
      if (types.back() == "f64" && types.front() == "f64") cancel<double, std::uint64_t>(columns, i, random);
    }
  }
  const std::size_t extremes = extremes_for(types);
  for (std::size_t number = 0; number < extremes; ++number) {
    const std::size_t i = count - extremes + number;
    if (types.front() == "f64") put_nans(columns, i, number, random);
    if (types.front() == "f32") put_borders(columns, i, random);
  }
  return columns;
}

}  // namespace cudalab::conformance
