// Tests the cost of PTX instructions whose types decide it.
#include "vgpu/time/instruction_costs.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <string_view>
#include <vector>

namespace cudalab::vgpu {
namespace {

ptx::Instruction instruction_of(std::initializer_list<std::string_view> parts) {
  ptx::Instruction instruction;
  std::vector<ptx::Word> words;
  for (const std::string_view part : parts) words.push_back(ptx::Word::of(part));
  set_opcode(instruction, std::move(words));
  return instruction;
}

InstructionCost cost_of_parts(std::initializer_list<std::string_view> parts) {
  return cost_of(instruction_of(parts)).value();
}

TEST(InstructionCosts, AConversionCostsByBothItsTypes) {
  EXPECT_EQ(cost_of_parts({"cvt", "s64", "s32"}).latency, 4);
  EXPECT_EQ(cost_of_parts({"cvt", "u16", "u32"}).latency, 2);
  EXPECT_EQ(cost_of_parts({"cvt", "rn", "f32", "s32"}).latency, 6);
  EXPECT_EQ(cost_of_parts({"cvt", "rn", "f16", "f32"}).latency, 6);
  EXPECT_EQ(cost_of_parts({"cvt", "rzi", "s32", "f32"}).latency, 14);
  EXPECT_EQ(cost_of_parts({"cvt", "f64", "f32"}).latency, 20);
}

TEST(InstructionCosts, AFenceWaitsForTheCardOrTheSystem) {
  EXPECT_EQ(cost_of_parts({"membar", "gl"}).fence, TimedFence::kCard);
  EXPECT_EQ(cost_of_parts({"membar", "sys"}).fence, TimedFence::kSystem);
  EXPECT_EQ(cost_of_parts({"membar", "cta"}).fence, TimedFence::kNone);
  EXPECT_EQ(cost_of_parts({"fence", "acq_rel", "gpu"}).fence, TimedFence::kCard);
  EXPECT_EQ(cost_of_parts({"fence", "sc", "sys"}).fence, TimedFence::kSystem);
  EXPECT_EQ(cost_of_parts({"fence", "proxy", "async", "gpu"}).fence, TimedFence::kNone);
  EXPECT_EQ(cost_of_parts({"atom", "add", "release", "gpu", "u32"}).fence, TimedFence::kCard);
  EXPECT_EQ(cost_of_parts({"st", "release", "sys", "global", "u32"}).fence, TimedFence::kSystem);
  EXPECT_EQ(cost_of_parts({"ld", "acquire", "gpu", "u32"}).fence, TimedFence::kNone);
  EXPECT_EQ(cost_of_parts({"atom", "add", "relaxed", "gpu", "u32"}).fence, TimedFence::kNone);
}

TEST(InstructionCosts, WhatRarelyHappensIsBehindABranch) {
  for (const auto& parts : {std::initializer_list<std::string_view>{"div", "rn", "f32"},
                            {"div", "rn", "f64"},
                            {"sqrt", "rn", "f32"},
                            {"rcp", "rn", "f64"},
                            {"rsqrt", "approx", "f64"},
                            {"rem", "u64"}})
    EXPECT_TRUE(cost_of_parts(parts).is_apart) << parts.begin()[0];
  for (const auto& parts : {std::initializer_list<std::string_view>{"div", "full", "f32"},
                            {"rem", "u32"},
                            {"rsqrt", "approx", "f32"},
                            {"sqrt", "approx", "ftz", "f32"}})
    EXPECT_FALSE(cost_of_parts(parts).is_apart) << parts.begin()[0];
}

TEST(InstructionCosts, TheReciprocalOfAConstantNeedNotBeFound) {
  ptx::Instruction division = instruction_of({"div", "rn", "f32"});
  division.operands.resize(3);
  division.operands[2].value = ptx::Register{"%f1"};
  const InstructionCost by_register = cost_of(division).value();
  division.operands[2].value = ptx::Immediate{ptx::Immediate::Kind::kF32Bits, 0x437F0000};
  const InstructionCost by_constant = cost_of(division).value();
  EXPECT_LT(by_constant.latency, by_register.latency);
  EXPECT_EQ(by_constant.use[static_cast<std::size_t>(Unit::kSpecial)], 0);
  EXPECT_TRUE(by_constant.is_apart);
}

// An unknown type is rejected by the decoder, with a message that names it; cost_of() must only survive it.
TEST(InstructionCosts, AConversionOfTypesThatDoNotExistIsLookedAtToo) {
  EXPECT_EQ(cost_of_parts({"cvt"}).latency, 2);
  EXPECT_EQ(cost_of_parts({"cvt", "fa type longer than a string holds in place 64", "s32"}).latency, 20);
}

}  // namespace
}  // namespace cudalab::vgpu
