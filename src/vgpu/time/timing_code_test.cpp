// Tests which registers are live across a basic block that does not use them, and how far a loop's round
// moves a register.
#include "vgpu/time/timing_code.h"

#include <gtest/gtest.h>

#include "ptx/parser.h"

namespace cudalab::vgpu {

namespace {

int one_word(std::uint32_t) { return 1; }

// Block 0 sets registers 0 and 1; block 1 is a loop that counts register 2; block 2 reads the first two.
LiveRegisters around_a_loop() {
  LiveRegisters live;
  live.begin(0, {1});
  for (const std::uint32_t reg : {0u, 1u, 2u}) live.write(reg);
  live.begin(1, {1, 2});
  live.read(2);
  live.write(2);
  live.begin(2, {});
  live.read(0);
  live.read(1);
  return live;
}

TEST(LiveRegisters, AreThoseThatABasicBlockLeavesToOthers) {
  EXPECT_EQ(around_a_loop().unused(one_word), (std::vector<int>{0, 2, 0}));
}

TEST(LiveRegisters, TakeWhatTheirValuesTake) {
  const auto words = [](std::uint32_t reg) { return reg == 0 ? 2 : 0; };  // a 64-bit and a predicate register
  EXPECT_EQ(around_a_loop().unused(words), (std::vector<int>{0, 2, 0}));
}

// A register that is written before it is read is not live before the write.
TEST(LiveRegisters, EndWhereTheyAreWrittenAnew) {
  LiveRegisters live;
  live.begin(0, {1});
  live.write(0);
  live.begin(1, {2});
  live.read(5);
  live.begin(2, {});
  live.write(0);
  live.read(0);
  EXPECT_EQ(live.unused(one_word), (std::vector<int>{1, 0, 0})) << "register 5 is wanted from the beginning";
}

TEST(LiveRegisters, AreNotLookedForInHugeFunctions) {
  LiveRegisters live;
  for (std::uint32_t i = 0; i < 20'000; ++i) live.begin(i, {i + 1});
  live.read(20'000);
  EXPECT_EQ(live.unused(one_word), std::vector<int>(20'000));
}

// A value that the next round of an outer loop reads stays live around the loop.
TEST(LiveRegisters, LiveOnThroughTheWayBack) {
  LiveRegisters live;
  live.begin(0, {1});
  live.write(7);
  live.begin(1, {2});
  live.read(7);
  live.begin(2, {1, 3});
  live.read(8);
  live.begin(3, {});
  EXPECT_EQ(live.unused(one_word), (std::vector<int>{1, 1, 1, 0}));
}

// The distance by which one round of a loop moves a register.

std::optional<std::int64_t> stride_of(const std::string& name, const std::string& body) {
  const ptx::Module module = ptx::parse(
      ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k() {\n.reg .b32 %r<99>;\n.reg .b64 "
      "%rd<9>;\n"
      ".reg .pred %p<9>;\n" +
          body + "\n}",
      "k.ptx");
  RoundStrides strides;
  strides.begin();
  for (const ptx::Statement& statement : module.functions.at(0).body)
    if (const auto* instruction = std::get_if<ptx::Instruction>(&statement)) strides.add(*instruction);
  return strides.of(name);
}

TEST(RoundStrides, FollowConstantsThroughWhatIsComputedFromThem) {
  const std::string counter = "add.s32 %r1, %r1, 4;\n";
  EXPECT_EQ(stride_of("%r1", counter), 4);
  EXPECT_EQ(stride_of("%r1", "sub.s32 %r1, %r1, 4;"), -4);
  EXPECT_EQ(stride_of("%r2", counter), 0);  // unchanged
  EXPECT_EQ(stride_of("%rd2", counter + "mul.wide.s32 %rd1, %r1, 8;\nadd.s64 %rd2, %rd3, %rd1;"), 32);
  EXPECT_EQ(stride_of("%r3", counter + "shl.b32 %r2, %r1, 2;\nsub.s32 %r3, %r4, %r2;"), -16);
  EXPECT_EQ(stride_of("%r3", counter + "mad.lo.s32 %r3, %r1, 3, %r1;"), 16);
  EXPECT_EQ(stride_of("%rd1", counter + "cvt.u64.u32 %rd1, %r1;"), 4);
}

TEST(RoundStrides, SayNothingOfWhatOnlyTheLaunchKnows) {
  const std::string counter = "add.s32 %r1, %r1, 4;\n";
  EXPECT_EQ(stride_of("%r1", "add.s32 %r1, %r1, %r2;"), std::nullopt);
  EXPECT_EQ(stride_of("%r3", counter + "mul.lo.s32 %r3, %r1, %r2;"), std::nullopt);
  EXPECT_EQ(stride_of("%r1", counter + counter), std::nullopt);  // written twice
  EXPECT_EQ(stride_of("%r1", "setp.ne.s32 %p1, %r2, 0;\n@%p1 add.s32 %r1, %r1, 4;"), std::nullopt);
  EXPECT_EQ(stride_of("%r3", "ld.global.u32 %r3, [%rd1];"), std::nullopt);
  EXPECT_EQ(stride_of("%r1", "add.s32 %r2, %r1, 1;\nadd.s32 %r1, %r2, 1;"),
            std::nullopt);  // circular dependency
}

TEST(RoundStrides, AskAboutEachRegisterOnce) {
  std::string doubled = "add.s32 %r1, %r1, 1;\n";
  for (int i = 1; i < 61; ++i)
    doubled += "add.s32 %r" + std::to_string(i + 1) + ", %r" + std::to_string(i) + ", %r" +
               std::to_string(i) + ";\n";
  EXPECT_EQ(stride_of("%r61", doubled), std::int64_t{1} << 60);
}

}  // namespace
}  // namespace cudalab::vgpu
