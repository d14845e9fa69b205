// Tests constant expressions, written as operands of instructions.
#include <gtest/gtest.h>

#include <string>

#include "core/error.h"
#include "ptx/module.h"
#include "ptx/ptx_error_testing.h"

namespace cudalab::ptx {
namespace {

Immediate evaluate(const std::string& expression) {
  const Module module =
      parse(".version 8.0\n.target sm_90\n.entry f() { mov.b64 %rd1, " + expression + "; }", "test.ptx");
  return std::get<Immediate>(std::get<Instruction>(module.functions.at(0).body.at(0)).operands.at(1).value);
}

std::int64_t integer(const std::string& expression) {
  const Immediate value = evaluate(expression);
  EXPECT_EQ(value.kind, Immediate::Kind::kInteger);
  return static_cast<std::int64_t>(value.bits);
}

Message refusal(const std::string& expression) {
  return refused([&] { evaluate(expression); });
}

TEST(PtxConstant, ReadsEveryBase) {
  EXPECT_EQ(integer("42"), 42);
  EXPECT_EQ(integer("0"), 0);
  EXPECT_EQ(integer("0x1fU"), 31);
  EXPECT_EQ(integer("0X1F"), 31);
  EXPECT_EQ(integer("017"), 15);
  EXPECT_EQ(integer("0b101"), 5);
  EXPECT_EQ(integer("0xFFFFFFFFFFFFFFFF"), -1);
  EXPECT_EQ(integer("WARP_SZ"), 32);
}

TEST(PtxConstant, KeepsTheBitsOfFloats) {
  EXPECT_EQ(evaluate("0f3F800000").kind, Immediate::Kind::kF32Bits);
  EXPECT_EQ(evaluate("0f3F800000").bits, 0x3F800000u);
  EXPECT_EQ(evaluate("-0F7fc00001").bits, 0xffc00001u);
  EXPECT_EQ(evaluate("0d7FF8000000000001").kind, Immediate::Kind::kF64Bits);
  EXPECT_EQ(evaluate("0d7FF8000000000001").bits, 0x7FF8000000000001u);
  EXPECT_EQ(evaluate("1.5").bits, 0x3FF8000000000000u);
  EXPECT_EQ(evaluate("-25e-2").bits, 0xBFD0000000000000u);
}

TEST(PtxConstant, HasThePrecedencesOfC) {
  EXPECT_EQ(integer("1 + 2 * 3"), 7);
  EXPECT_EQ(integer("(1 + 2) * 3"), 9);
  EXPECT_EQ(integer("10 - 3 - 2"), 5);
  EXPECT_EQ(integer("1 << 2 + 1"), 8);
  EXPECT_EQ(integer("6 & 3 == 3"), 0);
  EXPECT_EQ(integer("1 | 6 ^ 2 & 3"), 5);
  EXPECT_EQ(integer("0 || 2 && 3"), 1);
  EXPECT_EQ(integer("- -3"), 3);
  EXPECT_EQ(integer("~0"), -1);
  EXPECT_EQ(integer("+!5 + 1"), 1);
  EXPECT_EQ(integer("1 > 2 ? 10 : 2 > 1 ? 20 : 30"), 20);
}

TEST(PtxConstant, UnsignedOperandsMakeUnsignedResults) {
  EXPECT_EQ(integer("-8 / 2"), -4);
  EXPECT_EQ(integer("-8 % 3"), -2);
  EXPECT_EQ(integer("-1 > 0"), 0);
  EXPECT_EQ(integer("-1 > 0U"), 1);
  EXPECT_EQ(integer("-2 >> 1"), -1);
  EXPECT_EQ(integer("(.u64) -2 >> 1"), 0x7fffffffffffffff);
  EXPECT_EQ(integer("(.s64) 0xFFFFFFFFFFFFFFFE / 2"), -1);
}

TEST(PtxConstant, HasNoUndefinedBehaviour) {
  EXPECT_EQ(integer("1 << 64"), 0);
  EXPECT_EQ(integer("-1 >> 100"), -1);
  EXPECT_EQ(integer("(.s64) 0x8000000000000000 / -1"), INT64_MIN);
  EXPECT_EQ(integer("(.s64) 0x8000000000000000 % -1"), 0);
  EXPECT_EQ(integer("0x7FFFFFFFFFFFFFFF + 1"), INT64_MIN);
}

TEST(PtxConstant, RejectsOtherTokens) {
  EXPECT_EQ(refusal("1 / 0"), error_at(3, 32, msg::ptx_division_by_zero()));
  EXPECT_EQ(refusal("08"), error_at(3, 28, msg::ptx_not_a_number(Code{"08"})));
  EXPECT_EQ(refusal("0x"), error_at(3, 28, msg::ptx_not_a_number(Code{"0x"})));
  EXPECT_EQ(refusal("0f123"), error_at(3, 28, msg::ptx_not_a_number(Code{"0f123"})));
  EXPECT_EQ(refusal("18446744073709551616"),
            error_at(3, 28, msg::ptx_not_a_number(Code{"18446744073709551616"})));
  EXPECT_EQ(refusal("1e999"), error_at(3, 28, msg::ptx_not_a_number(Code{"1e999"})));
  EXPECT_EQ(refusal("1.5 + 1"), error_at(3, 28, msg::ptx_integer_expected()));
}

TEST(PtxConstant, RejectsDeepNesting) {
  EXPECT_EQ(integer(std::string(30, '(') + "1" + std::string(30, ')')), 1);
  EXPECT_THAT(refusal(std::string(5000, '(') + "1"), MentionsMessage("expression_too_deep"));
  EXPECT_THAT(refusal(std::string(5000, '~') + "1"), MentionsMessage("expression_too_deep"));
}

}  // namespace
}  // namespace cudalab::ptx
