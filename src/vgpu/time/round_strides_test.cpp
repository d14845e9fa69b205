// By how much a round of a loop moves a register.
#include "vgpu/time/round_strides.h"

#include <gtest/gtest.h>

#include "ptx/parser.h"

namespace cudalab::vgpu {
namespace {

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
  EXPECT_EQ(stride_of("%r2", counter), 0);  // stays as it is
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
            std::nullopt);  // round in a circle
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
