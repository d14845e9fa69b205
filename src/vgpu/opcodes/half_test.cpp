// Tests that two numbers in a register give the same results as each of them alone, at each instruction-set
// level.
#include <gtest/gtest.h>

#include <array>
#include <random>

#include "vgpu/opcodes/row_runner_testing.h"

namespace cudalab::vgpu {
namespace {

using Operands = std::vector<std::vector<std::uint64_t>>;

// The first operand is every f16 in turn, including NaNs; the other operands are random, often of similar
// magnitude.
Operands operands_from(std::uint32_t first, std::size_t count, std::mt19937& random) {
  Operands operands(count, std::vector<std::uint64_t>(2 * kWarpSize));
  for (std::uint32_t i = 0; i < 2 * kWarpSize; ++i) {
    operands[0][i] = first + i;
    for (std::size_t source = 1; source < count; ++source) {
      const std::uint32_t any = random() & 0xffff;
      operands[source][i] = random() % 4 == 0 ? (first + i) ^ (any & 0x8001) : any;
    }
  }
  return operands;
}

Operands paired(const Operands& operands) {
  Operands pairs(operands.size());
  for (std::size_t source = 0; source < operands.size(); ++source)
    for (int lane = 0; lane < kWarpSize; ++lane)
      pairs[source].push_back(operands[source][2 * lane] | operands[source][2 * lane + 1] << 16);
  return pairs;
}

Operands half_of(const Operands& operands, int which) {
  Operands half(operands.size());
  for (std::size_t source = 0; source < operands.size(); ++source)
    for (int lane = 0; lane < kWarpSize; ++lane) half[source].push_back(operands[source][2 * lane + which]);
  return half;
}

// The single-number rows of the last level, which uses no hardware conversions, are the reference.
void expect_two_of_them(const std::string& name, std::size_t count) {
  std::mt19937 random(5);
  const Row& single = *opcode_tables().back().second->find(name + ".f16");
  for (std::uint32_t first = 0; first < 0x10000; first += 2 * kWarpSize) {
    const Operands operands = operands_from(first, count, random);
    const auto low = RowRunner::run(single, half_of(operands, 0)).d,
               high = RowRunner::run(single, half_of(operands, 1)).d;
    std::vector<std::uint64_t> expected;
    for (std::size_t lane = 0; lane < kWarpSize; ++lane) expected.push_back(low[lane] | high[lane] << 16);
    for (const auto& [level, table] : opcode_tables())
      ASSERT_EQ(RowRunner::run(*table->find(name + ".f16x2"), paired(operands)).d, expected)
          << level << ", " << first;
  }
}

TEST(PairsOfF16, AreAdded) { expect_two_of_them("add", 2); }
TEST(PairsOfF16, AreSubtracted) { expect_two_of_them("sub", 2); }
TEST(PairsOfF16, AreMultiplied) { expect_two_of_them("mul", 2); }
TEST(PairsOfF16, AreMultipliedAndAdded) { expect_two_of_them("fma.rn", 3); }

}  // namespace
}  // namespace cudalab::vgpu
